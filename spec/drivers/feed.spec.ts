import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError, contentRouter, type ContentRouterConfig, fromDatabase, migrate } from '../../lib'
import { serveCached } from '../support/cached'
import { eachDatabase } from '../support/databases'
import { following, namesIn, onFollowedLibrary, tells, totalIn } from '../support/feed'
import { library } from '../support/library'

const cache = { feed: true } as const
const permissions = { public: { find: '*' } } as const

const faultsOf = (work: () => unknown): readonly { readonly where: string; readonly problem: string }[] => {
  try {
    work()
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
  return []
}

eachDatabase((database) => {
  if (!tells(database)) {
    const world = database.fresh()

    it('is refused where a database does not tell what changed', async () => {
      const refused = { contentTypes: library, database: world.config, cache }
      if (database.name === 'mariadb') {
        await migrate({ contentTypes: library, database: world.config })
        // Which of the two it is, is known once it has been asked.
        const router = world.closing(contentRouter({ ...refused, logger: false }))
        await expect(router.ready()).rejects.toThrow('MariaDB tells of no change in a way that is exact')
        return
      }
      expect(faultsOf(() => contentRouter(refused))).toEqual([
        expect.objectContaining({ where: 'cache.feed', problem: 'can be had of PostgreSQL and MySQL alone' }),
      ])
    })
    return
  }

  const { world, serve, write, isKept, keepsAgain } = onFollowedLibrary(database)

  it('is refused for a list of servers, and with settings of another kind', () => {
    const given = { contentTypes: library, database: [world.config, world.config] as never, cache }
    expect(faultsOf(() => contentRouter(given))).toContainEqual(
      expect.objectContaining({ where: 'cache.feed' }),
    )
    for (const feed of ['yes', { publication: '' }, { maxRetained: 0 }, { slot: 'x' }]) {
      const wrong = { contentTypes: library, database: world.config, cache: { feed: feed as never } }
      expect(faultsOf(() => contentRouter(wrong))).toContainEqual(
        expect.objectContaining({ where: 'cache.feed' }),
      )
    }
  })

  it('keeps answers while others write to tables that they were not read from', async () => {
    const served = await serve()
    const { headers } = await served.kept('authors')
    let kept = 0
    for (let round = 0; round < 50; round += 1) {
      await write()
      kept += Number(await isKept(served, 'authors'))
      const known = await served.get('authors', 'public', { 'If-None-Match': headers.etag ?? '' })
      expect(known.status).toBe(304)
    }
    expect(kept).toBeGreaterThanOrEqual(48)
  })

  it('shows a commit to a table of the answer to whoever asks the moment that it was acknowledged', async () => {
    const served = await serve()
    for (let round = 0; round < 30; round += 1) {
      const { headers } = await served.kept('authors')
      await write()
      const name = `Ada ${String(round)}`
      await world.knex('authors').update({ name })
      const known = await served.get('authors', 'public', { 'If-None-Match': headers.etag ?? '' })
      expect([known.status, namesIn(known)]).toEqual([200, [name]])
    }
    await world.knex('authors').update({ name: 'Ada' })
  })

  it('knows an answer by all that it was read from: what is populated, and the links to it', async () => {
    const served = await serve()
    const path = 'books?populate[0]=author&populate[1]=genres'
    await keepsAgain(served, path)
    await world.knex('authors').update({ name: 'Lovelace' })
    expect((await served.get(path)).body).toContain('Lovelace')
    await keepsAgain(served, path)
    await keepsAgain(served, 'books')
    await world.knex('books_genres_lnk').delete()
    expect((await served.get(path)).body).not.toContain('Essay')
    expect(await isKept(served, 'books')).toBe(true)
    await world.knex('authors').update({ name: 'Ada' })
    expect(await isKept(served, 'books')).toBe(true)
  })

  it('knows a total by what was counted', async () => {
    const many = Array.from({ length: 3500 }, (_, at) => ({ name: 'B', document_id: `b${String(at)}` }))
    await world.knex.batchInsert('authors', many, 500)
    const statements: string[] = []
    const served = await serve({
      onStatement: ({ sql }: { readonly sql: string }) => {
        statements.push(sql)
      },
    })
    const page = (at: number): string => `authors?pagination[pageSize]=1&pagination[page]=${String(at)}`
    for (let at = 1; at < 6; at += 1) await served.get(page(at))
    const counts = (): number => statements.filter((sql) => /count\(\*\)/.test(sql)).length
    const before = counts()
    for (let at = 6; at < 36; at += 1) {
      await write()
      expect(totalIn(await served.get(page(at)))).toBe(3501)
    }
    expect(counts() - before).toBeLessThan(5)
    await world.knex('authors').insert({ name: 'B', document_id: 'last' })
    expect(totalIn(await served.get(page(40)))).toBe(3502)
    await world.knex('authors').where({ name: 'B' }).delete()
    expect(totalIn(await served.get(page(1)))).toBe(1)
  })

  it('knows permissions by their tables', async () => {
    await world.knex('up_roles').insert({ id: 1, type: 'public' })
    await world.knex('up_permissions').insert({ id: 1, action: 'api::author.author.find' })
    await world.knex('up_permissions_role_lnk').insert({ permission_id: 1, role_id: 1 })
    const served = await serve({ permissions: fromDatabase() })
    await keepsAgain(served, 'authors')
    await world.knex('up_permissions_role_lnk').delete()
    expect((await served.get('authors')).status).toBe(403)
    await world.knex('up_permissions_role_lnk').insert({ permission_id: 1, role_id: 1 })
    expect((await served.get('authors')).status).toBe(200)
  })

  if (database.name === 'mysql') {
    it('is had by a role that may read what is counted, as the docs say', async () => {
      const page = readFileSync(join(__dirname, '..', '..', 'docs', 'freshness.md'), 'utf8')
      const [, statement = ''] = /```sql\n(grant select on performance_schema[^;`]+);/.exec(page) ?? []
      await world.knex.raw(`create user content identified by 'secret'`)
      const { connection } = world.config as { readonly connection: { readonly database: string } }
      await world.knex.raw('grant select on ??.* to content', [connection.database])
      const given = { ...world.config, connection: { ...connection, user: 'content', password: 'secret' } }
      const config = { contentTypes: library, database: given, permissions, cache, logger: false } as const
      await expect(world.closing(contentRouter(config)).ready()).rejects.toThrow(
        'cache.feed: the role may not read the performance schema',
      )
      // By the clock alone, as without the feed.
      const served = await serveCached(
        { world: { ...world, config: given }, dialect: 'mysql' },
        { cache, logger: false },
      )
      await served.kept('authors')
      expect(served.router.cache.stats().isFollowing).toBe(false)
      await world.knex.raw(statement)
      await world.closing(contentRouter(config)).ready()
      await world.knex.raw('drop user content')
    })

    it('takes nothing but true', () => {
      const given = {
        contentTypes: library,
        database: world.config,
        cache: { feed: { publication: 'content_router' } },
      }
      expect(faultsOf(() => contentRouter(given))).toEqual([expect.objectContaining({ where: 'cache.feed' })])
    })
    return
  }

  it('is had by a role that may read and replicate, as the docs say', async () => {
    const page = readFileSync(join(__dirname, '..', '..', 'docs', 'freshness.md'), 'utf8')
    const [, block = ''] = /```sql\n(alter system[^`]+)```/.exec(page) ?? []
    const statements = block.split('\n').map((line) => line.replace(/--.*$/, '').trim())
    await world.knex.raw('drop publication content_router')
    await world.knex.raw(`create role content login password 'secret'`)
    await world.knex.raw('grant select on all tables in schema public to content')
    const { connection } = world.config as { readonly connection: object }
    const database = { ...world.config, connection: { ...connection, user: 'content', password: 'secret' } }
    const router = world.closing(contentRouter({ contentTypes: library, database, permissions, cache }))
    await expect(router.ready()).rejects.toThrow('cache.feed: the role may not replicate')
    await expect(router.ready()).rejects.toThrow('cache.feed: there is no publication content_router')
    for (const statement of statements.filter((one) => one !== '')) await world.knex.raw(statement)
    await router.ready()
    await following(router)
    await world.knex.raw('drop owned by content')
  })

  it('says what it lacks', async () => {
    const router = (options: Partial<ContentRouterConfig>): ReturnType<typeof contentRouter> =>
      world.closing(
        contentRouter({
          contentTypes: library,
          database: world.config,
          permissions: { public: { find: '*' } },
          ...options,
        }),
      )
    await expect(router({ cache }).ready()).resolves.toBeUndefined()
    await expect(router({ cache: { feed: { publication: 'other' } } }).ready()).rejects.toThrow(
      'cache.feed: there is no publication other',
    )
  })
})
