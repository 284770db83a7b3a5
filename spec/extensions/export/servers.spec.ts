import { once } from 'node:events'
import { type ClientRequest, get as send, type IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import { listExports } from '../../../extensions/export'
import { askerOf } from '../../support/asker'
import { describeOn, testDatabase } from '../../support/databases'
import { library } from '../../support/library'
import { lockBooks, untilRunning } from '../../support/locked-books'
import { type Served, stocked } from '../../support/served'

const permissions = { public: { find: '*', export: '*' } } as const

/** More than the buffers of a connection hold. */
const books = 4000

/** Numbers without recursion, which MariaDB limits. */
const digits = `(${Array.from({ length: 10 }, (_, digit) => `select ${String(digit)} as d`).join(' union all ')})`
const numbers = `select 1 + a.d + 10 * b.d + 100 * c.d + 1000 * e.d as n from ${['a', 'b', 'c', 'e']
  .map((name) => `${digits} as ${name}`)
  .join(', ')} where e.d < ${String(books / 1000)}`

const idsIn = (list: unknown): readonly number[] =>
  (list as readonly { readonly id: number }[]).map(({ id }) => id)

describeOn(['postgres', 'mariadb', 'mysql'])('on %s', (name) => {
  const dialect = name === 'postgres' ? 'postgres' : 'mysql'
  const { world, serve } = stocked(testDatabase(name), library, { author: [{ name: 'Ada' }] })
  const expected = Array.from({ length: books }, (_, at) => at + 1)

  beforeEach(async () => {
    await world.knex('books').delete()
    const columns = `n, concat('b', n), repeat('x', 5000), current_timestamp`
    const insert = `insert into books (id, document_id, blurb, published_at)`
    await world.knex.raw(`${insert} select ${columns} from (${numbers}) as listed`)
  }, 30_000)

  const served = (snapshot: boolean): Served =>
    serve({ permissions, extensions: [listExports({ snapshot })], timeout: 60_000 })

  const request = async ({ app }: Served): Promise<ClientRequest> => {
    const { origin } = world.closing(await askerOf(app))
    return send(`${origin}/api/books/export?format=json&fields=blurb`).on('error', () => undefined)
  }

  /** A client that has read the headers and no more. */
  const open = async (from: Served): Promise<{ asked: ClientRequest; response: IncomingMessage }> => {
    const asked = await request(from)
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    return { asked, response }
  }

  const change = async (): Promise<void> => {
    await world
      .knex('books')
      .where('id', '>', books - 10)
      .delete()
    await world
      .knex('books')
      .where('id', '<=', books - 10)
      .update({ blurb: 'changed' })
    await world
      .knex('books')
      .insert({ id: books + 1, document_id: 'new', blurb: 'new', published_at: new Date() })
  }

  it('shows one state of the database, whatever changes meanwhile', async () => {
    const { response } = await open(served(true))
    await change()
    const entries = await json(response)
    expect(idsIn(entries)).toEqual(expected)
    expect(JSON.stringify(entries)).not.toMatch(/changed|new/)
  })

  it('shows the changes in short transactions, and each entry once', async () => {
    const { response } = await open(served(false))
    await change()
    const entries = await json(response)
    expect(idsIn(entries)).toEqual([...expected.slice(0, -10), books + 1])
    expect(JSON.stringify(entries)).toContain('changed')
  })

  const expectEnd = async (asked: ClientRequest): Promise<void> => {
    await untilRunning(1, world.knex, dialect)
    const begun = performance.now()
    asked.destroy()
    await untilRunning(0, world.knex, dialect)
    expect(performance.now() - begun).toBeLessThan(1000)
  }

  it('ends its statement within a second once the client disconnects', async () => {
    const api = served(true)
    await api.get('books?pagination[limit]=1')
    const unlock = await lockBooks(world.knex, dialect)
    await expectEnd(await request(api))
    await unlock()
  })

  it('ends a later statement too', async () => {
    const { asked, response } = await open(served(false))
    const unlock = await lockBooks(world.knex, dialect)
    response.resume()
    await expectEnd(asked)
    await unlock()
  })
})
