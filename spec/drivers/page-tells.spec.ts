import { migrate, seed } from '../../lib'
import { serveCached } from '../support/cached'
import { describeOn, testDatabase } from '../support/databases'
import { library } from '../support/library'
import { onOwnServer } from '../support/own-server'

interface AskedConnection {
  query: (asked: { readonly text?: string } | string, ...rest: unknown[]) => unknown
}

describeOn(['postgres'])('what is kept of %s', (name) => {
  const database = testDatabase(name)
  const world = onOwnServer(database, () => database.fresh())
  const asked: string[] = []
  const afterCreate = (
    connection: AskedConnection,
    done: (error: unknown, connection: unknown) => void,
  ): void => {
    const query = connection.query.bind(connection)
    connection.query = (statement, ...rest) => {
      asked.push(typeof statement === 'string' ? statement : String(statement.text))
      return query(statement, ...rest)
    }
    done(null, connection)
  }

  beforeAll(async () => {
    const config = { contentTypes: library, database: world.config }
    await migrate(config)
    await seed(config, { author: [{ $ref: 'ada', name: 'Ada' }], book: [{ title: 'Dawn', author: 'ada' }] })
  })

  /** Of each statement that told the state: whether it was that of the page. */
  async function tellersOf(path: string): Promise<boolean[]> {
    const { get, router } = await serveCached(
      { world, dialect: 'postgres' },
      { database: { ...world.config, pool: { ...world.config.pool, afterCreate } } },
    )
    await get('authors')
    asked.length = 0
    await get(path)
    const told = asked.filter((sql) => sql.includes('pg_current_snapshot'))
    const { hits } = router.cache.stats()
    await get(path)
    expect(router.cache.stats().hits).toBe(hits + 1)
    return told.map((sql) => sql.includes('books'))
  }

  it.each([
    'books?fields=title',
    'books?populate=author',
    'books?pagination[withCount]=false&populate=genres',
  ])('is known by the statement of its page: %s', async (path) => {
    expect(await tellersOf(path)).toEqual([false, true])
  })

  it('is asked for behind a page without entries, which tells nothing', async () => {
    expect(await tellersOf('books?filters[title]=none')).toEqual([false, true, false])
  })
})
