import { Agent } from 'node:http'
import { migrate } from '../../lib'
import { seed } from '../../extensions/seed'
import { soak } from '../../lab/soak/campaign'
import { faultsOf } from '../../lab/soak/judge'
import { ask, emptyTally } from '../../lab/soak/load'
import { startSoaked, type Soaked } from '../../lab/soak/soaked'
import { describeOn, eachDatabase, testDatabase } from '../support/databases'
import { library } from '../support/library'
import { recordingOf } from '../support/recordings'

const seconds = process.env['SWEEP'] === 'all' ? 10 : 4

eachDatabase((database) => {
  const world = database.restored()

  it('twice the possible load is served in part and refused in part, without leaks', async () => {
    const maxRunning = database.dialect === 'sqlite' ? 1 : 2
    const outcome = await soak({
      contentTypes: recordingOf(database.name).contentTypes,
      database: world.config,
      ...{ seconds, queue: { maxRunning } },
    })
    expect(faultsOf(outcome)).toEqual([])
  }, 120_000)
})

/** More than SQLite sorts in memory: it writes a file. */
const large = { books: 400, characters: 60_000 }

describeOn(['sqlite'])('a full disk under %s', (name) => {
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
    // A process that may write no file sees a full disk, even as root.
    soaked = await startSoaked(given, 'ulimit -f 0')
  }, 60_000)

  afterAll(() => soaked.stop())

  it('is a 503 for requests that need it, and for no other', async () => {
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
