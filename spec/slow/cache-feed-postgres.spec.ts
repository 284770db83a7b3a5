import { changes } from '../../extensions/changes'
import { setTimeout as pause } from 'node:timers/promises'
import { Client, type ClientConfig } from 'pg'
import { contentRouter, type Logger } from '../../lib'
import { describeOn, testDatabase } from '../support/databases'
import { endSenders, following, namesIn, onFollowedLibrary, releaseOf, senders } from '../support/feed'
import { keeping } from '../support/hearing'
import { library } from '../support/library'

const followed = { cache: {}, extensions: [changes({ feed: true })] } as const

/** Senders and slots that a server of specs has. */
const most = 40

describeOn(['postgres'], ['an installed server'])('changes.feed on %s', (name) => {
  const { world, serve, write, isKept, keepsAgain } = onFollowedLibrary(testDatabase(name))

  const redefinitions: readonly (readonly [
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

  it.each(redefinitions)(
    'serves each step of a change at once: %s',
    async (_what, statements, undo) => {
      const served = await serve()
      await keepsAgain(served, 'authors')
      try {
        for (const statement of statements) {
          // Until it has been read anew of which tables the feed tells everything.
          await served.get('authors')
          await pause(1100)
          await served.get('authors')
          const { headers } = await served.get('authors')
          await write()
          await served.get('authors')
          await world.knex.raw(statement)
          const answer = await served.get('authors')
          const known = await served.get('authors', 'public', { 'If-None-Match': headers.etag ?? '' })
          const { rows } = await world.knex.raw<{ rows: { name: string }[] }>('select name from authors')
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
          await pause(50)
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

  it('serves truncates and cascades of foreign keys at once', async () => {
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

  it('caches no longer than without it, while the replication connection is late or lost', async () => {
    const { warnings, logger } = keeping()
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
    await endSenders(world.knex)
    await world.knex('authors').update({ name: 'Alone' })
    expect(namesIn(await served.get('authors'))).toEqual(['Alone'])
    await keepsAgain(served, 'authors')
    expect(warnings).toContain('the change feed is down: each commit invalidates all cached responses')
    await world.knex('authors').update({ name: 'Ada' })
  }, 30_000)

  it('reconnects as fast after the fifth outage as after the first', async () => {
    const { router } = await serve()
    for (let outages = 0; outages < 5; outages += 1) {
      await pause(1500)
      await endSenders(world.knex)
      await pause(50)
      expect(router.cache.stats().isFollowing).toBe(false)
      await following(router)
    }
  }, 60_000)

  it('drops its replication slot with the router, and if it retains too much of the log', async () => {
    const slots = async (): Promise<number> => {
      const { rows } = await world.knex.raw<{ rows: { n: number }[] }>(
        'select count(*)::int as n from pg_replication_slots where active',
      )
      return rows[0]?.n ?? -1
    }
    const before = await slots()
    const router = contentRouter({ contentTypes: library, database: world.config, ...followed })
    await following(router)
    expect(await slots()).toBe(before + 1)
    await router.close()
    await pause(300)
    expect(await slots()).toBe(before)
    const large = world.closing(contentRouter({ contentTypes: library, database: world.config, ...followed }))
    await following(large)
    const warnings: unknown[] = []
    const logger: Logger = { ...keeping().logger, warn: (facts) => warnings.push(facts) }
    const small = world.closing(
      contentRouter({
        contentTypes: library,
        database: world.config,
        logger,
        extensions: [changes({ feed: { maxRetained: 1 } })],
      }),
    )
    await following(small)
    // What is under way for long is what the log is held back for.
    const open = await world.knex.transaction()
    await open.raw(`insert into logs (text) values ('open')`)
    await write()
    await pause(10_500)
    await open.rollback()
    expect(warnings).toContainEqual({ reason: 'the slot retains too much WAL' })
    expect(await slots()).toBe(before + 1)
    expect(large.cache.stats().retainedWal).toBeGreaterThan(0)
  }, 30_000)

  const table = `create table asked (id int primary key, text text not null default '')`
  it('does not count its own sender and slot as those of others', async () => {
    const router = world.closing(
      contentRouter({ contentTypes: library, database: world.config, ...followed }),
    )
    const other = world.closing(contentRouter({ contentTypes: library, database: world.config, ...followed }))
    const { connection } = world.config as { readonly connection: object }
    const others: Client[] = []
    const before = (await senders(world.knex)).length
    const open = await world.knex.transaction()
    try {
      await open.raw(`insert into logs (text) values ('open')`)
      await router.ready()
      while ((await senders(world.knex)).length === before) await pause(10)
      while ((await senders(world.knex)).length < most) {
        const client = new Client({ ...connection, replication: 'database' } as ClientConfig)
        others.push(client)
        await client.connect()
      }
      for (let slots = before + 1; slots < most; slots += 1)
        await world.knex.raw('select pg_create_physical_replication_slot(?)', [`other_${String(slots)}`])
      await router.ready()
      expect(router.cache.stats().isFollowing).toBe(false)
      const refused = other.ready()
      await expect(refused).rejects.toThrow('changes.feed: the database server has no free replication slot')
      await expect(refused).rejects.toThrow('changes.feed: the database server has no free WAL sender')
      await open.commit()
      await following(router)
    } finally {
      if (!open.isCompleted()) await open.rollback()
      await Promise.all(others.map((client) => client.end()))
      await router.close()
      await world.knex.raw(
        'select pg_drop_replication_slot(slot_name) from pg_replication_slots where not active',
      )
    }
  }, 60_000)

  const keyless = 'create table asked (id int, text text)'
  const whole = 'alter table asked replica identity full'
  const byText = [
    'create unique index other on asked (text)',
    'alter table asked replica identity using index other',
  ]
  const computed = 'alter table asked add column twice int generated always as (id * 2) stored'
  const only = (column: string): string => `create publication narrow for table asked (${column})`

  /** `from`: the release of PostgreSQL that was the first to refuse it. */
  const always = 0
  const never = Infinity
  it.each<readonly [what: string, from: number, statements: readonly string[]]>([
    ['a key', never, [table]],
    ['no key', always, [keyless]],
    ['no key, and some rows are published', always, [keyless, `${only('id')} where (id > 0)`]],
    ['no identity', always, [table, 'alter table asked replica identity nothing']],
    ['whole rows', never, [table, whole]],
    ['whole rows, of which one column is published', always, [table, whole, only('id')]],
    ['a key that is not published', always, [table, only('text')]],
    ['a key that is published alone', never, [table, only('id')]],
    ['another index', never, [table, ...byText]],
    ['another index, of which nothing is published', always, [table, ...byText, only('id')]],
    ['whole rows with a column that is computed', 18, [table, computed, whole]],
    ['a key beside a column that is computed', never, [table, computed]],
  ])(
    'warns of tables whose updates the publication makes fail, and of no other: %s',
    async (...[, from, sql]) => {
      for (const statement of sql) await world.knex.raw(statement)
      const { warnings, logger } = keeping()
      const publication = sql.some((statement) => statement.includes('narrow')) ? 'narrow' : 'content_router'
      const router = world.closing(
        contentRouter({
          contentTypes: library,
          database: world.config,
          logger,
          extensions: [changes({ feed: { publication } })],
        }),
      )
      try {
        await router.ready()
        const update = world.knex('asked').update({ id: 2 })
        const isRefused = (await releaseOf(world.knex)) >= from
        if (isRefused) await expect(update).rejects.toThrow('cannot update table "asked"')
        else await update
        expect(warnings.some((warning) => warning.includes('rejects updates of some tables'))).toBe(isRefused)
      } finally {
        await router.close()
        await world.knex.raw('drop publication if exists narrow')
        await world.knex.raw('drop table asked')
      }
    },
  )

  it('names the schema in warnings of tables in other schemas', async () => {
    await world.knex.raw('create schema elsewhere')
    await world.knex.raw('create table elsewhere.visits (at timestamp)')
    const told: object[] = []
    const logger: Logger = { ...keeping().logger, warn: (facts) => told.push(facts) }
    const router = world.closing(
      contentRouter({ contentTypes: library, database: world.config, logger, ...followed }),
    )
    await router.ready()
    await world.knex.raw('drop schema elsewhere cascade')
    expect(told).toContainEqual({ tables: ['elsewhere.visits'] })
  })
})
