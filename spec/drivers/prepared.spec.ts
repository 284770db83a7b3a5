import { knex as makeKnex, type Knex } from 'knex'
import { describeOn, testDatabase } from '../support/databases'
import { makePreparing } from '../../lib/read/with-connection'
import { library } from '../support/library'
import { orderContent, orderTypes } from '../support/orders'
import { roleHeader, type Served, stocked } from '../support/served'

/** Only PostgreSQL is asked to keep statements by name; SQLite's are kept here, and MySQL's are not. */
describeOn(['postgres'] as const)('statements that %s keeps prepared', (name) => {
  const { world, serve } = stocked(testDatabase(name), library, {
    author: [{ name: 'Ada' }, { name: 'Bob' }],
    book: [{ title: 'One', year: 1 }],
  })
  let knex: Knex
  let served: Served

  beforeEach(() => {
    knex = makeKnex({ ...world.config, pool: { min: 1, max: 1 } })
    served = serve({ database: knex })
  })
  afterEach(() => knex.destroy())

  /** On the only connection that there is. */
  async function keptFor(table: string): Promise<number> {
    const { rows } = await knex.raw<{ rows: readonly { readonly statement: string }[] }>(
      'select statement from pg_prepared_statements',
    )
    return rows.filter(({ statement }) => statement.includes(`"${table}"`)).length
  }

  async function ask(...paths: readonly string[]): Promise<void> {
    for (const path of paths) await served.page(path)
  }

  it('are those that come for the third time', async () => {
    await ask('authors?fields=name', 'authors?fields=name')
    expect(await keptFor('authors')).toBe(0)
    await ask('authors?fields=name')
    expect(await keptFor('authors')).toBe(1)
  })

  it('are the same for requests that differ in values alone', async () => {
    await ask('books?filters[year]=1', 'books?filters[year]=2', 'books?filters[year]=3')
    expect(await keptFor('books')).toBe(1)
    await ask('books?filters[year]=4', 'books?filters[year]=5')
    expect(await keptFor('books')).toBe(1)
  })

  it('are not those of requests that never come again', async () => {
    await ask('books?filters[year]=1', 'books?filters[title]=One', 'books?filters[year][$gt]=0')
    expect(await keptFor('books')).toBe(0)
  })
})

describeOn(['postgres'] as const)('rules with values of the asker, on %s', (name) => {
  const { world, serve } = stocked(testDatabase(name), orderTypes, orderContent)

  it('share one prepared statement among all callers', async () => {
    const knex = makeKnex({ ...world.config, pool: { min: 1, max: 1 } })
    const { list } = serve({
      database: knex,
      permissions: { member: { find: { order: { where: { customer: { id: { $asker: 'customerId' } } } } } } },
      role: (req) => ({ roles: 'member', asker: { customerId: req.get(roleHeader) } }),
    })
    for (let number = 1; number <= 300; number += 1) await list('orders', String(number))
    const { rows } = await knex.raw<{ rows: readonly { readonly statement: string }[] }>(
      'select statement from pg_prepared_statements',
    )
    await knex.destroy()
    expect(rows.filter(({ statement }) => statement.includes('"orders"'))).toHaveLength(1)
  }, 60_000)
})

describe('the choice of statements to prepare', () => {
  it('takes statements that come often enough, and names them by their text', () => {
    const [one, other] = [makePreparing({ from: 3 }), makePreparing({ from: 1 })]
    expect([one('select 1'), one('select 1'), one('select 2')]).toEqual([undefined, undefined, undefined])
    const name = one('select 1')
    expect(name).toMatch(/^content_router_[0-9a-f]{40}$/)
    expect([one('select 1'), other('select 1')]).toEqual([name, name])
    expect(other('select 2')).not.toBe(name)
  })

  it('is limited in number', () => {
    const preparing = makePreparing({ from: 1 })
    const names = Array.from({ length: 1_500 }, (_, number) => preparing(`select ${String(number)}`))
    expect(names.filter((name) => name !== undefined)).toHaveLength(1_000)
    expect([preparing('select 0'), preparing('select 1499')]).toEqual([names[0], undefined])
  })

  it('is limited in total length', () => {
    const preparing = makePreparing({ from: 1 })
    const texts = Array.from({ length: 30 }, (_, number) => `${String(number)}${'x'.repeat(100_000)}`)
    expect(texts.map(preparing).filter((name) => name !== undefined)).toHaveLength(19)
    expect(preparing('select 1')).toMatch(/^content_router_/)
  })

  it('keeps no memory of statements that come once', () => {
    const preparing = makePreparing({ from: 2 })
    const long = 'x'.repeat(10_000)
    preparing('select 1')
    for (let number = 0; number < 500; number += 1) preparing(`${String(number)}${long}`)
    expect(preparing('select 1')).toBeUndefined()
    expect(preparing('x'.repeat(5_000_000))).toBeUndefined()
    expect(preparing('x'.repeat(5_000_000))).toBeUndefined()
  })
})
