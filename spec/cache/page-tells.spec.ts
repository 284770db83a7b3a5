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

  it.each([
    'books?fields=title',
    'books?populate=author',
    'books?pagination[withCount]=false&populate=genres',
  ])('is known by the statement of its page: %s', async (path) => {
    const { get, router } = await serveCached(
      { world, dialect: 'postgres' },
      { database: { ...world.config, pool: { ...world.config.pool, afterCreate } } },
    )
    await get('authors')
    asked.length = 0
    await get(path)
    const telling = asked.filter((sql) => sql.includes('pg_current_snapshot'))
    expect(telling.map((sql) => sql.includes('books'))).toEqual([false, true])
    const { hits } = router.cache.stats()
    await get(path)
    expect(router.cache.stats().hits).toBe(hits + 1)
  })

  it('is asked for behind a page without entries, which tells nothing', async () => {
    const { get, router } = await serveCached(
      { world, dialect: 'postgres' },
      { database: { ...world.config, pool: { ...world.config.pool, afterCreate } } },
    )
    await get('authors')
    asked.length = 0
    await get('books?filters[title]=none')
    const telling = asked.filter((sql) => sql.includes('pg_current_snapshot'))
    expect(telling.map((sql) => sql.includes('books'))).toEqual([false, true, false])
    const { hits } = router.cache.stats()
    await get('books?filters[title]=none')
    expect(router.cache.stats().hits).toBe(hits + 1)
  })
})
