import type { Knex } from 'knex'
import { contentRouter, type ContentRouterConfig } from '../../lib'
import { type Answer, type Asker, askerOf } from '../support/asker'
import { onSqlite } from '../support/databases'
import { library } from '../support/library'
import { stocked } from '../support/served'

const path = '/api/books?populate=author'

const statuses = (answers: readonly Answer[]): number[] => answers.map(({ status }) => status)
/** No two texts are the same: identical requests would share one place. */
const several = (asker: Asker, count: number, at = path): Promise<Answer[]> =>
  Promise.all(Array.from({ length: count }, (_, number) => asker.ask(`${at}${'&'.repeat(number)}`)))

onSqlite((database) => {
  const { world, serve } = stocked(database, library, {
    author: [{ $ref: 'ada', name: 'Ada' }],
    book: [{ title: 'Dawn', author: 'ada' }],
  })
  const askers: Asker[] = []
  afterAll(() => Promise.all(askers.map((asker) => asker.close())))

  /** With as many open connections as will be asked over at once. */
  async function open(options: Partial<ContentRouterConfig>, connections: number): Promise<Asker> {
    const asker = await askerOf(
      serve({ permissions: { public: { find: ['book', 'author'] } }, ...options }).app,
    )
    askers.push(asker)
    await several(asker, connections, '/nowhere')
    expect((await asker.ask(path)).status).toBe(200)
    return asker
  }

  it('serves and keeps as many as it may, in the order they came, and refuses the rest', async () => {
    const asker = await open({ queue: { maxRunning: 1, maxWaiting: 2 } }, 6)
    const answers = await several(asker, 6)
    expect(statuses(answers)).toEqual([200, 200, 200, 503, 503, 503])
    for (const { headers, body } of answers.slice(3)) {
      expect(headers['retry-after']).toBe('1')
      expect(JSON.parse(body)).toMatchObject({ data: null, error: { name: 'ServiceUnavailableError' } })
    }
    expect(statuses(await several(asker, 3))).toEqual([200, 200, 200])
  })

  it('does not count what is refused without the database', async () => {
    const asker = await open({ queue: { maxRunning: 1, maxWaiting: 1 } }, 8)
    const wrong = ['/api/books?sort=nope', '/api/genres', '/api/books/%zz', '/api/books?pagination[page]=x']
    const answers = await Promise.all([...wrong, path, path, ...wrong].map((one) => asker.ask(one)))
    expect(statuses(answers)).toEqual([400, 403, 400, 400, 200, 200, 400, 403, 400, 400])
  })

  it('holds a burst that is not too large, with what it does by itself', async () => {
    const asker = await open({}, 60)
    expect(new Set(statuses(await several(asker, 60)))).toEqual(new Set([200]))
  })

  it.each([
    [{ maxRunning: 0 }, 'queue.maxRunning: is not a whole number from 1 on'],
    [{ maxWaiting: -1 }, 'queue.maxWaiting: is not a whole number from 0 on'],
    [{ maxWaiting: 1.5 }, 'queue.maxWaiting: is not a whole number from 0 on'],
    [{ most: 1 }, 'queue.most: there is no such option'],
    ['long', 'queue: is no table of limits'],
  ])('refuses to begin with %j', (queue, message) => {
    const config = { contentTypes: library, database: world.config, queue } as unknown as ContentRouterConfig
    expect(() => contentRouter(config)).toThrow(message)
  })

  const { dialect } = database
  if (dialect === 'sqlite') return

  const lock = dialect === 'mysql' ? 'lock tables books write' : 'lock table books in access exclusive mode'

  async function whileLocked(use: (held: Knex.Transaction) => Promise<void>): Promise<void> {
    const transaction = await world.knex.transaction()
    await transaction.raw(lock)
    try {
      await use(transaction)
    } finally {
      if (dialect === 'mysql') await transaction.raw('unlock tables')
      await transaction.rollback()
    }
  }

  it('gives up whoever waited too long, and the places are free afterwards', async () => {
    const asker = await open({ queue: { maxRunning: 1, maxWaiting: 4 }, timeout: 3000 }, 5)
    await whileLocked(async () => {
      const answers = await several(asker, 5)
      expect(statuses(answers)).toEqual([503, 503, 503, 503, 503])
      for (const { body } of answers) expect(body).toContain('The answer took too long')
    })
    expect(statuses(await several(asker, 5))).toEqual([200, 200, 200, 200, 200])
  })
})
