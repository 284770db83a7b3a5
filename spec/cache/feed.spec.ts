import { setTimeout as pause } from 'node:timers/promises'
import {
  ConfigError,
  contentRouter,
  type ContentRouterConfig,
  fromDatabase,
  type Logger,
  migrate,
  seed,
} from '../../lib'
import { type Answer } from '../support/asker'
import { type Cached, serveCached } from '../support/cached'
import { eachDatabase } from '../support/databases'
import { following, publishAll, senders } from '../support/feed'
import { library } from '../support/library'
import { onOwnServer } from '../support/own-server'

const cache = { feed: true } as const

const namesIn = ({ body }: Answer): unknown[] =>
  (JSON.parse(body) as { readonly data: readonly { readonly name: unknown }[] }).data.map(({ name }) => name)

const totalIn = ({ body }: Answer): unknown =>
  (JSON.parse(body) as { readonly meta: { readonly pagination: { readonly total: unknown } } }).meta
    .pagination.total

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
  if (database.dialect !== 'postgres') {
    const world = database.fresh()

    it('is refused where a database does not tell what changed', () => {
      const refused = { contentTypes: library, database: world.config, cache }
      expect(faultsOf(() => contentRouter(refused))).toEqual([
        expect.objectContaining({ where: 'cache.feed', problem: 'can be had of PostgreSQL alone' }),
      ])
    })
    return
  }

  const world = onOwnServer(database, () => database.fresh())

  beforeAll(async () => {
    const config = { contentTypes: library, database: world.config }
    await migrate(config)
    await seed(config, {
      author: [{ $ref: 'ada', name: 'Ada' }],
      genre: [{ $ref: 'essay', name: 'Essay' }],
      book: [{ title: 'Notes', author: 'ada', genres: ['essay'] }],
    } as never)
    await world.knex.raw('create table logs (id serial primary key, text text)')
    await publishAll(world.knex)
  }, 60_000)

  const serve = async (options: Partial<ContentRouterConfig> = {}): Promise<Cached> => {
    const served = await serveCached({ world, dialect: 'postgres' }, { cache, ...options })
    await following(served.router)
    return served
  }

  const write = (): Promise<unknown> => world.knex('logs').insert({ text: 'written' })

  /** Whether the next answer comes from memory. */
  async function isKept({ router, get }: Cached, path: string): Promise<boolean> {
    const { hits } = router.cache.stats()
    expect((await get(path)).status).toBe(200)
    return router.cache.stats().hits === hits + 1
  }

  /** What was committed by somebody may be told of a moment later, or be looked at once more. */
  async function keepsAgain(served: Cached, path: string): Promise<void> {
    const start = performance.now()
    for (;;) {
      await served.kept(path)
      await write()
      if (await isKept(served, path)) return
      if (performance.now() - start > 10_000) throw new Error('no answer survives a commit any more')
    }
  }

  it('is refused for a list of servers, and with settings of another kind', () => {
    const given = { contentTypes: library, database: [world.config, world.config] as never, cache }
    expect(faultsOf(() => contentRouter(given))).toContainEqual(
      expect.objectContaining({ where: 'cache.feed' }),
    )
    for (const feed of ['yes', { publication: '' }, { maxRetained: 0 }, { slot: 'x' }]) {
      const wrong = { contentTypes: library, database: world.config, cache: { feed: feed as never } }
      expect(faultsOf(() => contentRouter(wrong))).toEqual([expect.objectContaining({ where: 'cache.feed' })])
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
    } as never)
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

  const changes: readonly (readonly [
    what: string,
    statements: readonly string[],
    undo: readonly string[],
  ])[] = [
    ['rows', [`update authors set name = 'Eve'`], []],
    [
      'a definition, with rows of another table',
      [
        `begin; insert into logs (text) values ('x'); alter table authors alter name type text using 'Eve'; commit`,
      ],
      [],
    ],
    [
      'a definition alone',
      [`alter table authors alter name type varchar(300) using 'Eve'`],
      [`alter table authors alter name type text`],
    ],
    [
      'a name',
      [
        `create table eves (like authors including all)`,
        `insert into eves select * from authors`,
        `update eves set name = 'Eve'`,
        `begin; insert into logs (text) values ('x'); alter table authors rename to adas; alter table eves rename to authors; commit`,
      ],
      [`drop table authors`, `alter table adas rename to authors`],
    ],
    [
      'what is published',
      [
        `begin; insert into logs (text) values ('x'); alter publication content_router set (publish = 'insert'); commit`,
        `begin; insert into logs (text) values ('x'); update authors set name = 'Eve'; commit`,
      ],
      [`alter publication content_router set (publish = 'insert, update, delete, truncate')`],
    ],
    [
      'a table that is in no log',
      [
        `begin; insert into logs (text) values ('x'); alter table authors rename to adas; create unlogged table authors (like adas including all); insert into authors select * from adas; commit`,
        `begin; insert into logs (text) values ('x'); update authors set name = 'Eve'; commit`,
      ],
      [`drop table authors`, `alter table adas rename to authors`],
    ],
    [
      'rows in a savepoint',
      [`begin; savepoint one; update authors set name = 'Eve'; release one; commit`],
      [],
    ],
    [
      'rows by a trigger of another table',
      [
        `create function eve() returns trigger language plpgsql as $$ begin update authors set name = 'Eve'; return new; end $$`,
        `create trigger eve before insert on logs for each row execute function eve()`,
        `insert into logs (text) values ('x')`,
      ],
      [`drop trigger eve on logs`, `drop function eve`],
    ],
    [
      'a part of a table',
      [
        `begin; alter table authors rename to whole;
          create table authors (like whole including defaults) partition by list (id);
          create table part partition of authors (primary key (id)) default;
          insert into authors select * from whole; commit`,
        `update part set name = 'Eve'`,
      ],
      [`drop table authors`, `alter table whole rename to authors`],
    ],
    [
      'a copy of rows',
      [
        `begin; delete from logs; create temp table t on commit drop as select 1; update authors set name = 'Eve'; commit`,
      ],
      [],
    ],
  ]

  it.each(changes)(
    'shows a change of %s, each step of it at once',
    async (_what, statements, undo) => {
      const served = await serve()
      await keepsAgain(served, 'authors')
      try {
        for (const statement of statements) {
          const { headers } = await served.get('authors')
          await served.get('authors')
          await world.knex.raw(statement)
          const answer = await served.get('authors')
          const known = await served.get('authors', 'public', { 'If-None-Match': headers.etag ?? '' })
          const { rows } = (await world.knex.raw('select name from authors')) as { rows: { name: string }[] }
          const names = rows.map(({ name }) => name)
          expect(namesIn(answer)).toEqual(names)
          if (known.status === 200) expect(namesIn(known)).toEqual(names)
          await world.knex('logs').delete()
          expect(namesIn(await served.get('authors'))).toEqual(names)
        }
        expect(namesIn(await served.get('authors'))).toEqual(['Eve'])
        // Whatever is covered by then, rows that are written from now on are shown.
        for (let round = 0; round < 5; round += 1) {
          await served.get('authors')
          await world.knex.raw(
            `begin; insert into logs (text) values ('x'); update authors set name = ?; commit`.replace(
              '?',
              `'Eve ${String(round)}'`,
            ),
          )
          expect(namesIn(await served.get('authors'))).toEqual([`Eve ${String(round)}`])
          await pause(250)
        }
      } finally {
        for (const statement of undo) await world.knex.raw(statement)
        await world.knex('authors').update({ name: 'Ada' })
      }
      await pause(1100)
      await keepsAgain(served, 'authors')
    },
    30_000,
  )

  it('shows what a truncate and what a foreign key take away', async () => {
    const served = await serve()
    await world.knex.raw('create table owners (id int primary key)')
    await world.knex.raw('alter table authors add column owner int references owners on delete cascade')
    await world.knex.raw(
      `insert into owners values (1); insert into authors (name, document_id, owner) values ('Bob', 'bob', 1)`,
    )
    await keepsAgain(served, 'authors')
    await world.knex.raw('delete from owners')
    expect(namesIn(await served.get('authors'))).toEqual(['Ada'])
    await world.knex.raw('alter table authors drop column owner')
    await pause(1100)
    await keepsAgain(served, 'authors')
    await world.knex.raw('begin; create table kept as select * from authors; commit')
    await served.get('authors')
    await world.knex.raw('truncate authors cascade')
    expect(namesIn(await served.get('authors'))).toEqual([])
    await world.knex.raw('insert into authors select * from kept; drop table kept')
    expect(namesIn(await served.get('authors'))).toEqual(['Ada'])
  }, 30_000)

  it('keeps nothing longer than before while what changes comes late, or from nobody', async () => {
    const warnings: unknown[] = []
    const nothing = (): void => undefined
    const logger: Logger = {
      debug: nothing,
      info: nothing,
      error: nothing,
      warn: (_facts, message) => warnings.push(message),
    }
    const served = await serve({ logger })
    await keepsAgain(served, 'authors')
    const [sender] = (await senders(world.knex)).slice(-1)
    if (sender === undefined) throw new Error('nobody tells what changes')
    process.kill(sender, 'SIGSTOP')
    try {
      for (let round = 0; round < 10; round += 1) {
        await served.get('authors')
        await write()
        expect(await isKept(served, 'authors')).toBe(false)
        expect(await isKept(served, 'authors')).toBe(true)
        await world.knex('authors').update({ name: `Late ${String(round)}` })
        expect(namesIn(await served.get('authors'))).toEqual([`Late ${String(round)}`])
      }
    } finally {
      process.kill(sender, 'SIGCONT')
    }
    await keepsAgain(served, 'authors')
    for (const pid of await senders(world.knex)) await world.knex.raw('select pg_terminate_backend(?)', [pid])
    await world.knex('authors').update({ name: 'Alone' })
    expect(namesIn(await served.get('authors'))).toEqual(['Alone'])
    await keepsAgain(served, 'authors')
    expect(warnings).toContain('changes are not followed: each commit costs all answers')
    await world.knex('authors').update({ name: 'Ada' })
  }, 30_000)

  it('leaves no slot behind, and none that holds back more of the log than it may', async () => {
    const slots = async (): Promise<number> => {
      const { rows } = (await world.knex.raw(
        'select count(*)::int as n from pg_replication_slots where active',
      )) as {
        rows: { n: number }[]
      }
      return rows[0]?.n ?? -1
    }
    const before = await slots()
    const router = contentRouter({ contentTypes: library, database: world.config, cache })
    await following(router)
    expect(await slots()).toBe(before + 1)
    await router.close()
    await pause(300)
    expect(await slots()).toBe(before)
    const warnings: unknown[] = []
    const nothing = (): void => undefined
    const logger: Logger = {
      debug: nothing,
      info: nothing,
      error: nothing,
      warn: (facts) => warnings.push(facts),
    }
    const small = world.closing(
      contentRouter({
        contentTypes: library,
        database: world.config,
        logger,
        cache: { feed: { maxRetained: 1 } },
      }),
    )
    await following(small)
    // What is under way for long is what the log is held back for.
    const open = await world.knex.transaction()
    await open.raw(`insert into logs (text) values ('open')`)
    await write()
    await pause(10_500)
    await open.rollback()
    expect(warnings).toContainEqual({ reason: 'the slot holds back too much of the log' })
    expect(await slots()).toBe(before)
  }, 30_000)

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
