import { knex as makeKnex, type Knex } from 'knex'
import { describeOn, testDatabase } from '../support/databases'
import { library } from '../support/library'
import { type Served, stocked } from '../support/served'

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
