import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { knex as makeKnex, type Knex } from 'knex'
import { ConfigError, contentRouter, type ContentRouterConfig, type Logger, migrate } from '../../lib'
import { changes } from '../../extensions/changes'
import { fromDatabase } from '../../extensions/strapi'
import { seed } from '../../extensions/seed'
import { type Cached, serveCached } from '../support/cached'
import { describeOn, eachDatabase, testDatabase, type World } from '../support/databases'
import { following, namesIn, onFollowedLibrary, releaseOf, totalIn } from '../support/feed'
import { collection, library, text } from '../support/library'
import { onOwnServer } from '../support/own-server'
import { attach, besides, inStatements, opening } from '../support/put-elsewhere'
import { saying } from '../support/saying'
import { watchingSql } from '../support/watching'

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

const ghostTypes = [collection('ghost', { name: text })] as never

/** A place for content that the change counter of the database does not cover. */
interface Hidden {
  readonly by: string
  /** Moves the rows of `ghosts` there; then they are read by this. */
  readonly hide: (world: World) => Promise<Knex.Config>
  readonly write: (world: World, name: string) => Promise<void>
}

type Dialect = 'sqlite' | 'mysql' | 'postgres'

const to =
  (table: string) =>
  async ({ knex }: World, name: string): Promise<void> => {
    await knex(table).update({ name })
  }

async function writeBesides(world: World, name: string): Promise<void> {
  const knex = makeKnex({ ...world.config, connection: { filename: besides(world) } })
  await knex('ghosts').update({ name })
  await knex.destroy()
}

const asReader = ({ config }: World): Knex.Config => opening(config, saying('set role reader'))

const view = {
  hide: inStatements('alter table ghosts rename to held', 'create view ghosts as select * from held'),
}

const columns = 'id integer, document_id text, name text, created_at timestamp, updated_at timestamp'
const moreColumns = 'published_at timestamp, created_by_id integer, updated_by_id integer, locale text'
const here = `do $$ begin execute format($server$create server here foreign data wrapper postgres_fdw
  options (host '127.0.0.1', port '%s', dbname '%s')$server$, current_setting('port'), current_database());
  execute format('create user mapping for current_user server here options (user %L, password %L)',
  current_user, ':password'); end $$`

const ways: Readonly<Record<Dialect, readonly Hidden[]>> = {
  sqlite: [
    { by: 'a view', ...view, write: to('held') },
    { by: 'an attached file', hide: attach('ghosts'), write: writeBesides },
  ],
  mysql: [
    { by: 'a view', ...view, write: to('held') },
    {
      by: 'another engine',
      hide: inStatements(
        'alter table ghosts rename to held',
        'create table ghosts engine = MyISAM as select * from held',
      ),
      write: to('ghosts'),
    },
  ],
  postgres: [
    { by: 'a view', ...view, write: to('held') },
    {
      by: 'row security',
      hide: async (world) => {
        await inStatements(
          'create role reader',
          'grant select on all tables in schema public to reader',
          'alter table ghosts enable row level security',
          `create policy all_of_them on ghosts using (current_setting('role') = 'reader')`,
        )(world)
        return asReader(world)
      },
      write: to('ghosts'),
    },
    {
      by: 'a foreign partition of a partition',
      hide: async ({ knex, config }) => {
        const { password } = config.connection as { readonly password: string }
        await inStatements(
          'alter table ghosts rename to held',
          'create extension postgres_fdw',
          here.replace(':password', password),
          `create table ghosts (${columns}, ${moreColumns}) partition by list (locale)`,
          'create table ghosts_all partition of ghosts default partition by list (locale)',
          `create foreign table ghosts_far partition of ghosts_all default server here options (table_name 'held')`,
        )({ knex, config })
        return config
      },
      write: to('held'),
    },
  ],
}

/** A logger that keeps the facts of its warnings. */
function warned(): { readonly logger: Logger; readonly warnings: readonly object[] } {
  const warnings: object[] = []
  const silent = (): void => undefined
  const warn = (facts: object): number => warnings.push(facts)
  return { logger: { debug: silent, info: silent, error: silent, warn }, warnings }
}

eachDatabase((database) => {
  if (database.dialect !== 'postgres') {
    describe('changes.feed', () => {
      const world = database.fresh()

      it('is refused, as the database does not report changes', () => {
        const refused = {
          contentTypes: library,
          database: world.config,
          extensions: [changes({ feed: true })],
        }
        expect(faultsOf(() => contentRouter(refused))).toEqual([
          expect.objectContaining({ where: 'changes.feed', problem: 'the change feed requires PostgreSQL' }),
        ])
      })
    })
    return
  }

  describe('changes.feed', () => {
    const { world, serve, write, isKept, keepsAgain } = onFollowedLibrary(database)

    it('is refused with invalid settings', () => {
      for (const feed of ['yes', { publication: '' }, { maxRetained: 0 }, { slot: 'x' }]) {
        const extensions = [changes({ feed: feed as never })]
        const wrong = { contentTypes: library, database: world.config, extensions }
        expect(faultsOf(() => contentRouter(wrong))).toContainEqual(
          expect.objectContaining({ where: 'changes.feed' }),
        )
      }
    })

    it('keeps responses cached while other tables are written', async () => {
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

    it('serves a commit to a table of the response as soon as it is acknowledged', async () => {
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

    it('invalidates a response by populated tables and join tables', async () => {
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

    it('keeps a total until a counted row changes', async () => {
      const many = Array.from({ length: 3500 }, (_, at) => ({ name: 'B', document_id: `b${String(at)}` }))
      await world.knex.batchInsert('authors', many, 500)
      const statements: string[] = []
      const served = await serve({
        extensions: [watchingSql((sql) => statements.push(sql))],
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

    it('invalidates permissions by their tables', async () => {
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

    it('works for a role with the rights of docs/how-to/cache-on-a-busy-database.md', async () => {
      const page = readFileSync(
        join(__dirname, '..', '..', 'docs', 'how-to', 'cache-on-a-busy-database.md'),
        'utf8',
      )
      const [, block = ''] = /```sql\n(alter system[^`]+)```/.exec(page) ?? []
      const statements = block.split('\n').map((line) => line.replace(/--.*$/, '').trim())
      await world.knex.raw('drop publication content_router')
      await world.knex.raw(`create role content login password 'secret'`)
      await world.knex.raw('grant select on all tables in schema public to content')
      const { connection } = world.config as { readonly connection: object }
      const database = { ...world.config, connection: { ...connection, user: 'content', password: 'secret' } }
      const router = world.closing(
        contentRouter({
          contentTypes: library,
          database,
          permissions,
          extensions: [changes({ feed: true })],
        }),
      )
      await expect(router.ready()).rejects.toThrow(
        'changes.feed: the database user is not allowed to replicate',
      )
      await expect(router.ready()).rejects.toThrow(
        'changes.feed: the database has no publication content_router',
      )
      for (const statement of statements.filter((one) => one !== '')) await world.knex.raw(statement)
      await router.ready()
      await following(router)
      await world.knex.raw('drop owned by content')
    })

    it('is refused by ready() if the publication is missing', async () => {
      const router = (options: Partial<ContentRouterConfig>): ReturnType<typeof contentRouter> =>
        world.closing(
          contentRouter({
            contentTypes: library,
            database: world.config,
            permissions: { public: { find: '*' } },
            ...options,
          }),
        )
      await expect(router({ extensions: [changes({ feed: true })] }).ready()).resolves.toBeUndefined()
      await expect(
        router({ extensions: [changes({ feed: { publication: 'other' } })] }).ready(),
      ).rejects.toThrow('changes.feed: the database has no publication other')
    })
  })
})

eachDatabase((database) => {
  describe('content that the change counter does not cover', () => {
    const own = onOwnServer(database, () => database.fresh())
    const { dialect } = database

    async function haunted(world: World): Promise<void> {
      const config = { contentTypes: ghostTypes, database: world.config }
      await migrate(config)
      await seed(config, { ghost: [{ name: 'Wisp' }] })
    }

    describe.each(ways[dialect])('behind $by', ({ hide, write }) => {
      const world = database.fresh()

      it('is read by every request, and the log names the table once', async () => {
        await haunted(world)
        const config = await hide(world)
        const { logger, warnings } = warned()
        const options = { contentTypes: ghostTypes, logger, database: config }
        const { get, router } = await serveCached({ world, dialect }, options)
        for (const name of ['UK', 'France', 'Spain', 'Italy']) {
          await write(world, name)
          for (const time of ['first', 'second']) {
            const names = namesIn(await get('ghosts?fields=name'))
            expect({ time, names }).toEqual({ time, names: [name] })
          }
        }
        const { hits, entries } = router.cache.stats()
        expect({ hits, entries }).toEqual({ hits: 0, entries: 0 })
        expect(warnings).toEqual([{ tables: ['ghosts'] }])
        await expect(router.ready()).resolves.toBeUndefined()
      })
    })

    if (dialect !== 'postgres') return

    // Aurora does not report all commits. It is known by a function of its own.
    it('on Aurora is neither cached nor tagged, and the log says so once', async () => {
      await haunted(own)
      await own.knex.raw(`create function aurora_version() returns text return '15.4'`)
      const { logger, warnings } = warned()
      const options = { contentTypes: ghostTypes, logger }
      const { get, router } = await serveCached({ world: own, dialect }, options)
      await router.ready()
      expect(warnings).toEqual([{ product: 'Aurora' }])
      for (let asked = 0; asked < 3; asked += 1)
        expect((await get('ghosts')).headers).not.toHaveProperty('etag')
      expect(router.cache.stats()).toMatchObject({ hits: 0, entries: 0 })
      expect(warnings).toHaveLength(1)
    })
  })
})

const replicaIdentity = (kind: 'full' | 'default'): readonly string[] =>
  ['authors', 'books', 'countries'].map((table) => `alter table ${table} replica identity ${kind}`)

describeOn(['postgres'])('a response from tables of %s that report whole rows', (name) => {
  const { world, serve, isKept, keepsAgain } = onFollowedLibrary(testDatabase(name))
  const raw = async (...statements: readonly string[]): Promise<void> => {
    for (const sql of statements) await world.knex.raw(sql)
  }
  const author = (documentId: string, changed: object): Promise<unknown> =>
    world.knex('authors').where({ document_id: documentId }).update(changed)

  beforeAll(async () => {
    const authors = Array.from({ length: 60 }, (_, at) => ({
      document_id: `w${String(at)}`,
      name: `Writer ${String(100 + at)}`,
      age: at,
    }))
    await world.knex('authors').delete()
    await world.knex('authors').insert(authors)
    await world.knex('countries').insert({ document_id: 'uk', name: 'UK' })
    const [w1, uk] = await Promise.all([
      world.knex('authors').where({ document_id: 'w1' }).first<{ readonly id: number }>('id'),
      world.knex('countries').first<{ readonly id: number }>('id'),
    ])
    await world.knex('authors_country_lnk').insert({ author_id: w1.id, country_id: uk.id })
    await raw(...replicaIdentity('full'))
  }, 60_000)

  /** Whether the response stays cached. Its body is right in any case. */
  const outlives = async (served: Cached, path: string, change: () => Promise<unknown>): Promise<boolean> => {
    await keepsAgain(served, path)
    await change()
    return isKept(served, path)
  }

  it('stays cached while rows outside of it change', async () => {
    const served = await serve()
    for (const path of [
      'authors?pagination[pageSize]=10',
      'authors/w2',
      'authors?sort=name&pagination[pageSize]=10&pagination[withCount]=false',
      'authors?filters[name][$contains]=105',
      'authors?filters[country][name]=UK&populate=country',
    ])
      expect([
        path,
        await outlives(served, path, () => author('w40', { age: Math.floor(Math.random() * 1e6) })),
      ]).toEqual([path, true])
  })

  it('is invalidated by a change of a row in it', async () => {
    const served = await serve()
    const path = 'authors?pagination[pageSize]=10&populate=country'
    for (const change of [
      () => author('w3', { name: 'Woolf' }),
      () => author('w3', { name: 'Writer 103' }),
      () => world.knex('countries').update({ name: 'GB' }),
      () => world.knex('countries').update({ name: 'UK' }),
    ])
      expect(await outlives(served, path, change)).toBe(false)
    expect((await served.get(path)).body).toContain('Writer 103')
  })

  it('is invalidated by a change of a filtered or sorted attribute in another row', async () => {
    const served = await serve()
    const first = 'authors?pagination[pageSize]=1'
    const changeName = (to: string) => () => author('w40', { name: to })
    expect(await outlives(served, `${first}&sort=name`, changeName('A'))).toBe(false)
    expect(namesIn(await served.get(`${first}&sort=name`))).toEqual(['A'])
    expect(await outlives(served, `${first}&filters[name]=B`, changeName('B'))).toBe(false)
    expect(namesIn(await served.get(`${first}&filters[name]=B`))).toEqual(['B'])
    expect(await outlives(served, `${first}&_q=Zed`, changeName('Zed'))).toBe(false)
    expect(await outlives(served, `countries?filters[authors][name]=Zed`, changeName('Writer 140'))).toBe(
      false,
    )
    // Without a filter or a sort the name decides nothing.
    expect(await outlives(served, first, changeName('C'))).toBe(true)
    await author('w40', { name: 'Writer 140' })
  })

  it('is invalidated by inserts and deletes, and by new ids', async () => {
    const served = await serve()
    const path = 'authors?pagination[pageSize]=5'
    const insert = (): Promise<unknown> => world.knex('authors').insert({ document_id: 'new', name: 'New' })
    expect(await outlives(served, path, insert)).toBe(false)
    expect(totalIn(await served.get(path))).toBe(61)
    expect(
      await outlives(served, path, () => world.knex('authors').where({ document_id: 'new' }).delete()),
    ).toBe(false)
    expect(totalIn(await served.get(path))).toBe(60)
    expect(await outlives(served, path, () => author('w41', { id: 100_000 }))).toBe(false)
  })

  it('stays cached while drafts of its entries change', async () => {
    await world.knex('books').insert([
      { document_id: 'b', title: 'Public', published_at: new Date() },
      { document_id: 'b', title: 'Draft' },
    ])
    const served = await serve()
    const drafts = (): Promise<unknown> =>
      world
        .knex('books')
        .whereNull('published_at')
        .update({ title: `Draft ${String(Math.random())}` })
    expect(await outlives(served, 'books/b', drafts)).toBe(true)
    const publish = (): Promise<unknown> =>
      world.knex('books').whereNull('published_at').update({ published_at: new Date() })
    expect(await outlives(served, 'books?pagination[pageSize]=1', publish)).toBe(false)
    await world.knex('books').delete()
  })

  it('is invalidated by any change if the table reports old rows or computed columns in part', async () => {
    const served = await serve()
    const path = 'authors?pagination[pageSize]=5'
    const age = (): Promise<unknown> => author('w42', { age: Math.floor(Math.random() * 1e6) })
    await raw(...replicaIdentity('default'))
    expect(await outlives(served, path, age)).toBe(false)
    await raw(...replicaIdentity('full'))
    expect(await outlives(served, path, age)).toBe(true)
    await raw('alter table authors add column rank integer generated always as (age * 2) stored')
    const isTold = (await releaseOf(world.knex)) >= 18
    // Without this the computed column is no part of the replica identity, and the row cannot be updated.
    if (isTold) await raw('alter publication content_router set (publish_generated_columns = stored)')
    // The first change after one of the table's definition counts as a change of anything.
    if (isTold) await age()
    expect(await outlives(served, path, age)).toBe(isTold)
    await raw('alter table authors drop column rank')
    if (isTold) await age()
    expect(await outlives(served, path, age)).toBe(true)
  })

  it('keeps its total while counted rows change, until their number changes', async () => {
    const many = Array.from({ length: 3500 }, (_, at) => ({ name: 'B', document_id: `b${String(at)}` }))
    await world.knex.batchInsert('authors', many, 500)
    const statements: string[] = []
    const served = await serve({
      extensions: [watchingSql((sql) => statements.push(sql))],
    })
    const page = (at: number): string =>
      `authors?filters[name]=B&pagination[pageSize]=1&pagination[page]=${String(at)}`
    for (let at = 1; at < 6; at += 1) await served.get(page(at))
    const counts = (): number => statements.filter((sql) => /count\(\*\)/.test(sql)).length
    const before = counts()
    for (let at = 6; at < 36; at += 1) {
      await author('b0', { age: at })
      expect(totalIn(await served.get(page(at)))).toBe(3500)
    }
    expect(counts() - before).toBeLessThan(5)
    await author('b0', { name: 'C' })
    expect(totalIn(await served.get(page(40)))).toBe(3499)
  })

  it('is invalidated by a change of a float beyond the digits that the database prints', async () => {
    await raw(
      'alter table authors add column weight double precision',
      'alter table authors replica identity full',
      `alter database "${String((await world.knex.raw<{ rows: { name: string }[] }>('select current_database() as name')).rows[0]?.name)}" set extra_float_digits = 0`,
    )
    const contentTypes = library.map((type) => {
      const { info, attributes } = type as {
        readonly info?: { readonly singularName?: string }
        readonly attributes: object
      }
      return info?.singularName === 'author'
        ? { ...type, attributes: { ...attributes, weight: { type: 'float' } } }
        : type
    }) as never
    await author('w44', { weight: world.knex.raw('0.1::float8 + 1e-16') })
    const served = await serve({ contentTypes })
    const path = 'authors?filters[weight][$eq]=0.1&fields=name'
    await keepsAgain(served, path)
    expect(namesIn(await served.get(path))).toEqual([])
    await author('w44', { weight: 0.1 })
    expect(namesIn(await served.get(path))).toEqual(['Writer 144'])
  })

  it('is invalidated with a wrapIdentifier of Knex as well', async () => {
    for (const wrapIdentifier of [
      (name: string) => name,
      (name: string, quote: (name: string) => string) => quote(name),
    ]) {
      const served = await serve({ database: { ...world.config, wrapIdentifier } })
      await served.kept('authors?filters[name]=Zed')
      await author('w43', { name: 'Zed' })
      expect(namesIn(await served.get('authors?filters[name]=Zed'))).toEqual(['Zed'])
      await author('w43', { name: 'Writer 143' })
    }
  })
})
