import { Agent } from 'node:http'
import { migrate, seed } from '../../lib'
import { ask, emptyTally } from '../../soak/load'
import { startSoaked, type Soaked } from '../../soak/soaked'
import { describeOn, testDatabase } from '../support/databases'
import { library } from '../support/library'

/** More than SQLite sorts in memory, which makes it write to a file. */
const large = { books: 400, characters: 60_000 }

describeOn(['sqlite'])('a disk without room, under %s', (name) => {
  const world = testDatabase(name).fresh()
  let soaked: Soaked

  beforeAll(async () => {
    const config = { contentTypes: library, database: world.config }
    await migrate(config)
    const book = Array.from({ length: large.books }, (_, number) => ({
      title: String(number),
      blurb: String((number * 7919) % large.books).padEnd(large.characters, '.'),
      author: 'ada',
    }))
    await seed(config, { author: [{ $ref: 'ada', name: 'Ada' }], book })
    const given = { contentTypes: library, database: world.config, queue: { maxRunning: 1, maxWaiting: 9 } }
    // To a process that may write no file the disk is full, whoever it runs as.
    soaked = await startSoaked(given, 'ulimit -f 0')
  }, 60_000)

  afterAll(() => soaked.stop())

  it('is a 503 for whoever needs it, and for nobody else', async () => {
    const agent = new Agent({ keepAlive: true })
    const [needs, others] = [emptyTally(), emptyTally()]
    await ask(soaked.port, agent, '/api/books?fields=title&pagination[pageSize]=3', others)
    await ask(soaked.port, agent, '/api/authors?populate[books][sort]=blurb', needs)
    await ask(soaked.port, agent, '/api/books?populate=author&pagination[pageSize]=3', others)
    agent.destroy()
    expect([...needs.wrong, ...others.wrong]).toEqual([])
    expect([needs.served.length, needs.refused.length]).toEqual([0, 1])
    expect(others.served).toHaveLength(2)
  })
})
