import { setTimeout as pause } from 'node:timers/promises'
import type { Knex } from 'knex'
import { type Connection, type ConnectionOptions, createConnection } from 'mysql2/promise'
import express from 'express'
import { contentRouter, migrate, seed } from '../../lib'
import { askerOf } from '../support/asker'
import type { Cached } from '../support/cached'
import { describeOn, testDatabase } from '../support/databases'
import { readCountedTables } from '../../lib/feed/counted-tables'
import { makeCountedWrites } from '../../lib/feed/counted-writes'
import { countsQuestion, readCounts } from '../../lib/feed/write-counts'
import { namesIn, onFollowedLibrary } from '../support/feed'
import { keeping } from '../support/hearing'
import { library } from '../support/library'
import { startMySql } from '../support/servers/mysql'
import { connectionTo } from '../support/stores'

describeOn(['mysql'], ['an installed server'])('cache.feed on %s', (name) => {
  const { world, serve, write, isKept, keepsAgain } = onFollowedLibrary(testDatabase(name))

  const inDatabase = async (): Promise<readonly unknown[]> => {
    return world.knex('authors').orderBy('id').pluck('name')
  }

  const ask = async (sql: string): Promise<readonly (readonly unknown[])[]> => {
    const [rows = []] = await world.knex.raw<[Record<string, unknown>[]]>(sql)
    return rows.map((row) => Object.values(row))
  }

  /** Whose statements follow each other, and which is nobody else's. */
  const connect = (): Promise<Connection> => {
    const { connection } = world.config as { readonly connection: ConnectionOptions }
    return createConnection(connection)
  }

  /** On one connection. */
  async function runAll(statements: readonly string[]): Promise<void> {
    const connection = await connect()
    for (const sql of statements) await connection.query(sql)
    await connection.end()
  }

  /** What is given is what is there, also to whoever says what he has. */
  async function expectFresh(served: Cached, etag: string | undefined): Promise<void> {
    const known = await served.get('authors', 'public', { 'If-None-Match': etag ?? '' })
    const answer = await served.get('authors')
    const names = await inDatabase()
    expect(namesIn(answer)).toEqual(names)
    if (known.status === 200) expect(namesIn(known)).toEqual(names)
    else expect(known.headers.etag).toBe(answer.headers.etag)
  }

  const changes: readonly (readonly [
    what: string,
    /** In one array: nobody can read in between. */
    steps: readonly (string | readonly string[])[],
    undo: readonly string[],
  ])[] = [
    ['rows', [`update authors set name = 'Eve'`], []],
    ['rows that no log tells of', [`set sql_log_bin = 0`, `update authors set name = 'Eve'`], []],
    [
      'rows in a savepoint',
      [`begin`, `savepoint one`, `update authors set name = 'Eve'`, `release savepoint one`, `commit`],
      [],
    ],
    [
      'rows under a lock of the whole table',
      [[`lock tables authors write`, `update authors set name = 'Eve'`, `unlock tables`]],
      [],
    ],
    [
      'rows by a trigger of another table',
      [
        `create trigger eve before insert on logs for each row update authors set name = 'Eve'`,
        `insert into logs (text) values ('x')`,
      ],
      [`drop trigger eve`],
    ],
    [
      'a definition alone',
      [
        [
          `alter table authors drop column name`,
          `alter table authors add column name varchar(255) default 'Eve'`,
        ],
      ],
      [],
    ],
    [
      'the names of two columns',
      [
        `alter table authors add column other varchar(255) default 'Eve'`,
        `alter table authors rename column name to third, rename column other to name`,
      ],
      [`alter table authors drop column name`, `alter table authors rename column third to name`],
    ],
    [
      'the names of two tables',
      [
        `create table eves like authors`,
        `insert into eves select * from authors`,
        `update eves set name = 'Eve'`,
        `rename table authors to adas, eves to authors`,
      ],
      [`drop table authors`, `rename table adas to authors`],
    ],
    [
      'a table that is restored',
      [
        `create table kept as select * from authors`,
        `set sql_log_bin = 0`,
        [`create table copy like authors`, `drop table authors`, `rename table copy to authors`],
        `insert into authors select * from kept`,
        `update authors set name = 'Eve'`,
      ],
      [`drop table kept`],
    ],
    [
      'a part of a table',
      [
        `create table parts (id int unsigned not null primary key, name varchar(255), document_id varchar(255), age int,
          created_at datetime(6), updated_at datetime(6), published_at datetime(6), created_by_id int, updated_by_id int,
          locale varchar(255)) partition by list (id) (partition one values in (1))`,
        `insert into parts (id, name, document_id) select id, name, document_id from authors`,
        `create table eves like parts`,
        `alter table eves remove partitioning`,
        `insert into eves (id, name, document_id) select id, 'Eve', document_id from authors`,
        `rename table authors to adas, parts to authors`,
        `alter table authors exchange partition one with table eves`,
      ],
      [`drop table authors, eves`, `rename table adas to authors`],
    ],
    [
      'what is emptied',
      [`create table kept as select * from authors`, `truncate authors`],
      [`insert into authors select * from kept`, `drop table kept`],
    ],
  ]

  it.each(changes)(
    'serves each step of a change at once: %s',
    async (_what, steps, undo) => {
      const served = await serve()
      try {
        const connection = await connect()
        try {
          await connection.query('set foreign_key_checks = 0')
          for (const step of steps) {
            // Until the tables have been read anew, so that answers are kept by what is counted.
            await pause(1100)
            for (let round = 0; round < 3; round += 1) {
              await served.get('authors')
              await write()
            }
            const { headers } = await served.get('authors')
            for (const sql of [step].flat()) await connection.query(sql)
            await expectFresh(served, headers.etag)
          }
        } finally {
          await connection.end()
        }
        for (let round = 0; round < 5; round += 1) {
          await served.get('authors')
          await world.knex('authors').update({ name: `Eve ${String(round)}` })
          await expectFresh(served, undefined)
          await pause(50)
        }
      } finally {
        await runAll(['set foreign_key_checks = 0', ...undo, 'set foreign_key_checks = 1'])
        await world.knex('authors').update({ name: 'Ada' })
      }
      await pause(1100)
      await keepsAgain(served, 'authors')
    },
    60_000,
  )

  /** Servers count rows by whichever part of a plan reads or writes them, so that plans matter. `who` has b and z. */
  const ways: readonly string[] = [
    `update authors set name = 'New'`,
    `update authors set name = 'New' where document_id = 'b'`,
    `update authors set name = 'New' order by name limit 1`,
    `update authors set name = 'New' where document_id in (select n from who)`,
    `update authors a join who w on w.n = a.document_id set a.name = 'New' where w.id = 2`,
    `update authors a join who w on w.id = 2 set a.name = 'New' where a.document_id = w.n`,
    `update who w straight_join authors a on w.n = a.document_id set a.name = 'New'`,
    `with one as (select n from who where id = 2) update authors a join one on one.n = a.document_id set a.name = 'New'`,
    `update of_authors set name = 'New' where document_id = 'b'`,
    `delete from authors where document_id = 'b'`,
    `delete from authors order by name limit 1`,
    `delete from authors where document_id in (select n from who)`,
    `delete a from authors a join who w on w.n = a.document_id where w.id = 2`,
    `delete a from authors a join who w on w.n = a.document_id where w.id = 2 and a.document_id < 'z'`,
    `delete a from authors a, who w where w.id = 2 and a.document_id = w.n`,
    `delete from a using authors a left join who w on w.n = a.document_id where w.id is null`,
    `insert into authors (document_id, name) values ('d', 'New')`,
    `insert ignore into authors (document_id, name) values ('d', 'New')`,
    `insert into authors (document_id, name) select n, 'New' from who where id = 2`,
    `insert into authors (id, name) select id, 'Old' from kept on duplicate key update name = 'New'`,
    `replace into authors (id, document_id, name) select id, document_id, 'New' from kept`,
    `call rename_authors()`,
    `do renamed_authors()`,
    `prepare one from "update authors set name = 'New'"; execute one`,
    `begin; update authors a join who w on w.n = a.document_id set a.name = 'New' where w.id = 2; commit`,
    `set sql_log_bin = 0; delete a from authors a join who w on w.n = a.document_id where w.id = 2`,
  ]

  it('serves the writes of every kind of statement at once, by any plan', async () => {
    const served = await serve()
    const { connection: given } = world.config as { readonly connection: ConnectionOptions }
    const connection = await createConnection({ ...given, multipleStatements: true })
    const restore = 'delete from authors; insert into authors select * from kept'
    await connection.query(`set foreign_key_checks = 0;
      create table kept as select * from authors;
      create table who (id int primary key, n varchar(9)); insert into who values (2, 'b'), (7, 'z');
      create view of_authors as select * from authors;
      create procedure rename_authors() update authors set name = 'New';
      create function renamed_authors() returns int deterministic begin update authors set name = 'New'; return 1; end`)
    const [[switches] = []] = await ask('select @@optimizer_switch')
    try {
      for (const optimizer of String(switches).includes('hypergraph_optimizer') ? ['off', 'on'] : ['off']) {
        if (optimizer === 'on') await connection.query(`set optimizer_switch = 'hypergraph_optimizer=on'`)
        for (const sql of ways) {
          await connection.query(
            `${restore}; insert into authors (document_id, name) values ('b', 'Bea'), ('c', 'Cy')`,
          )
          await keepsAgain(served, 'authors')
          const before = namesIn(await served.get('authors'))
          await connection.query(sql)
          const names = namesIn(await served.get('authors'))
          expect([optimizer, sql, names]).toEqual([optimizer, sql, await inDatabase()])
          expect([sql, names]).not.toEqual([sql, before])
        }
      }
    } finally {
      await connection.query(`${restore}; drop table kept, who; drop view of_authors;
        drop procedure rename_authors; drop function renamed_authors`)
      await connection.end()
    }
  }, 120_000)

  it('caches nothing that an open transaction has changed', async () => {
    const served = await serve()
    const trials: readonly ((open: Knex.Transaction) => Promise<unknown>)[] = [
      (open) => open.commit(),
      (open) => open.rollback(),
    ]
    for (const end of trials) {
      await keepsAgain(served, 'authors')
      const open = await world.knex.transaction()
      await open('authors').update({ name: 'Held' })
      for (let round = 0; round < 5; round += 1) {
        await write()
        const { headers } = await served.get('authors')
        expect(headers.etag).toBeUndefined()
        await expectFresh(served, undefined)
      }
      await end(open)
      await expectFresh(served, undefined)
      await world.knex('authors').update({ name: 'Ada' })
    }
    await keepsAgain(served, 'authors')
  }, 60_000)

  it('serves a prepared transaction once another connection commits it, even after a restart', async () => {
    for (const isKilled of [false, true]) {
      const served = await serve()
      await keepsAgain(served, 'authors')
      const connection = await connect()
      const name = `Prepared ${String(isKilled)}`
      for (const sql of [
        `xa start 'x'`,
        `update authors set name = '${name}'`,
        `xa end 'x'`,
        `xa prepare 'x'`,
      ])
        await connection.query(sql)
      connection.destroy()
      if (isKilled) {
        await world.server().kill()
        await world.server().restart()
      }
      await pause(1100)
      for (let round = 0; round < 5; round += 1) {
        await write().catch(() => undefined)
        await served.get('authors').catch(() => undefined)
      }
      const { headers } = await served.get('authors')
      const prepared = await ask('xa recover')
      // Without its log of changes MySQL takes back what was prepared when it is started again.
      expect(prepared).toHaveLength(isKilled ? prepared.length : 1)
      if (prepared.length > 0) await world.knex.raw(`xa commit 'x'`)
      await expectFresh(served, headers.etag)
      await world.knex('authors').update({ name: 'Ada' })
    }
  }, 120_000)

  it('serves cascades of foreign keys, and does not follow keys into another database', async () => {
    await world.knex.raw('create table owners (id int primary key)')
    await world.knex.raw(
      'create table middles (id int primary key, owner int, foreign key (owner) references owners (id) on delete cascade)',
    )
    await world.knex.raw(
      'alter table authors add column middle int, add constraint middle foreign key (middle) references middles (id) on delete cascade',
    )
    await world.knex.raw('insert into owners values (1)')
    await world.knex.raw('insert into middles values (1, 1)')
    await world.knex('authors').insert({ name: 'Bob', document_id: 'bob', middle: 1 })
    const counted = await readCountedTables(ask, (table) => table === 'authors')
    // A server whose storage follows the keys counts the rows of the first table alone.
    expect([...(counted.with.get('authors') ?? [])]).toEqual(['authors', 'middles', 'owners'])
    expect([counted.names.toSorted(), counted.uncounted]).toEqual([['authors', 'middles', 'owners'], []])
    const served = await serve()
    await keepsAgain(served, 'authors')
    await world.knex.raw('delete from owners')
    expect(namesIn(await served.get('authors'))).toEqual(['Ada'])
    await world.knex.raw('alter table authors drop foreign key middle, drop column middle')
    await world.knex.raw('drop table middles, owners')
    await world.knex.raw('create database elsewhere')
    await world.knex.raw('create table elsewhere.owners (id int primary key)')
    await world.knex.raw(
      'alter table authors add column owner int, add constraint owner foreign key (owner) references elsewhere.owners (id) on delete cascade',
    )
    try {
      await expect(served.router.ready()).rejects.toThrow('cache.feed: authors follows')
      await served.get('authors')
      await write()
      expect(await isKept(served, 'authors')).toBe(false)
      expect(served.router.cache.stats().isFollowing).toBe(false)
    } finally {
      await world.knex.raw('alter table authors drop foreign key owner, drop column owner')
      await world.knex.raw('drop database elsewhere')
    }
  }, 60_000)

  it('misses no write while tables are flushed', async () => {
    const served = await serve()
    await keepsAgain(served, 'authors')
    const turns = { isOver: false }
    const closing = (async () => {
      while (!turns.isOver) {
        await world.knex.raw('flush tables')
        await Promise.all(Array.from({ length: 4 }, () => world.knex.raw('select count(*) from authors')))
      }
    })()
    try {
      const start = performance.now()
      for (let round = 0; performance.now() - start < 20_000; round += 1) {
        const given = `Flushed ${String(round)}`
        await served.get('authors')
        await world.knex('authors').update({ name: given })
        const answers = await Promise.all([served.get('authors'), served.get('authors?sort=name')])
        expect(answers.map(namesIn)).toEqual([[given], [given]])
      }
    } finally {
      turns.isOver = true
      await closing
      await world.knex('authors').update({ name: 'Ada' })
    }
    await keepsAgain(served, 'authors')
  }, 120_000)

  const resembling: readonly (readonly [
    what: string,
    make: (name: string) => string,
    drop: (name: string) => string,
  ])[] = [
    ['but for its case', () => 'create table Authors (id int)', () => 'drop table Authors'],
    [
      'in a database whose name is the same but for its case',
      (name) => `create database ${name.toUpperCase()}; create table ${name.toUpperCase()}.authors (id int)`,
      (name) => `drop database ${name.toUpperCase()}`,
    ],
  ]
  it.each(resembling)(
    'distinguishes a table from another one that has the same name %s',
    async (_what, make, drop) => {
      const database = (await ask('select database()')).join()
      const table = /create table (\S+)/.exec(make(database))?.[1] ?? ''
      await runAll(make(database).split('; '))
      try {
        await world.server().kill()
        await world.server().restart()
        // The one that is opened first is found first.
        await runAll([`select * from ${table}`])
        const served = await serve()
        await keepsAgain(served, 'authors')
        const { headers } = await served.get('authors')
        await world.knex('authors').update({ name: 'Eve' })
        await expectFresh(served, headers.etag)
        await keepsAgain(served, 'authors')
      } finally {
        await runAll([drop(database)])
        await world.knex('authors').update({ name: 'Ada' })
      }
    },
    60_000,
  )

  it('distinguishes two tables whose names differ in an accent', async () => {
    await runAll(['create table äuthors (id int)'])
    try {
      const countsNow = async (): Promise<ReadonlyMap<string, string> | undefined> =>
        readCounts(await ask(countsQuestion([], ['authors', 'äuthors'], `'one'`)))?.counts
      const before = await countsNow()
      await runAll(['insert into äuthors values (1)', `update authors set name = name`])
      const after = await countsNow()
      for (const name of ['authors', 'äuthors']) expect(after?.get(name)).not.toBe(before?.get(name))
    } finally {
      await runAll(['drop table äuthors'])
    }
  })

  it('stops to follow once the server did not count a write, until its restart', async () => {
    const { warnings, logger } = keeping()
    const served = await serve({ logger })
    const setup = 'performance_schema.setup_consumers'
    await keepsAgain(served, 'authors')
    const { headers } = await served.get('authors')
    await world.knex.raw(`update ${setup} set enabled = 'NO' where name = 'thread_instrumentation'`)
    try {
      await served.get('authors')
      expect(served.router.cache.stats().isFollowing).toBe(false)
      for (let round = 0; round < 5; round += 1) {
        await write()
        expect(await isKept(served, 'authors')).toBe(false)
        await world.knex('authors').update({ name: `Uncounted ${String(round)}` })
        await expectFresh(served, headers.etag)
      }
    } finally {
      await world.knex.raw(`update ${setup} set enabled = 'YES' where name = 'thread_instrumentation'`)
    }
    await pause(1100)
    await expectFresh(served, headers.etag)
    expect(served.router.cache.stats().isFollowing).toBe(false)
    await world.server().kill()
    await world.server().restart()
    await served.get('authors').catch(() => undefined)
    await keepsAgain(served, 'authors')
    expect(warnings).toContain('changes are not followed: each commit costs all answers')
    await world.knex('authors').update({ name: 'Ada' })
  }, 60_000)

  const everyTable = `insert into setup_objects values ('TABLE', '%', '%', 'YES', 'YES')`
  const setups: readonly (readonly [what: string, turnOff: string, turnOn: string])[] = [
    ['tables', `delete from setup_objects where object_type = 'TABLE' and object_schema = '%'`, everyTable],
    [
      'tables but those of a database that is the same but for its case',
      `delete from setup_objects where object_type = 'TABLE' and object_schema = '%'; insert into setup_objects
        select 'TABLE', upper(schema_name), '%', 'YES', 'YES' from information_schema.schemata where schema_name like 'content_router%'`,
      everyTable,
    ],
    [
      'users',
      `delete from setup_actors`,
      `insert into setup_actors (host, user, role) values ('%', '%', '%')`,
    ],
    [
      'locks of tables',
      `update setup_instruments set enabled = 'NO' where name = 'wait/lock/table/sql/handler'`,
      `update setup_instruments set enabled = 'YES' where name = 'wait/lock/table/sql/handler'`,
    ],
    [
      'locks of definitions',
      `update setup_instruments set enabled = 'NO' where name = 'wait/lock/metadata/sql/mdl'`,
      `update setup_instruments set enabled = 'YES' where name = 'wait/lock/metadata/sql/mdl'`,
    ],
  ]
  it.each(setups)(
    'does not follow while the server does not count %s, nor transactions from that time',
    async (_what, turnOff, turnOn) => {
      const served = await serve()
      await keepsAgain(served, 'authors')
      await runAll(['use performance_schema', ...turnOff.split('; ')])
      const open = await world.knex.transaction()
      try {
        await expect(served.router.ready()).rejects.toThrow('cache.feed: not all is counted')
        await served.get('authors')
        expect(served.router.cache.stats().isFollowing).toBe(false)
        await open('authors').update({ name: 'Late' })
        await runAll(['use performance_schema', turnOn])
        await pause(1100)
        for (let round = 0; round < 3; round += 1) {
          await served.get('authors')
          await pause(150)
        }
        const { headers } = await served.get('authors')
        await open.commit()
        await expectFresh(served, headers.etag)
      } finally {
        if (!open.isCompleted()) await open.rollback()
        await runAll(['use performance_schema', turnOn]).catch(() => undefined)
        await world.knex('authors').update({ name: 'Ada' })
        await world.server().kill()
        await world.server().restart()
      }
    },
    60_000,
  )

  it('logs once that the server stopped to count between two questions, and does not follow', async () => {
    const { warnings, logger } = keeping()
    const writes = makeCountedWrites({ logger, isRead: (table) => table === 'authors', server: `'one'` })
    const turn = (isOn: boolean): Promise<void> =>
      runAll([
        `update performance_schema.setup_instruments set enabled = '${isOn ? 'YES' : 'NO'}'
          where name = 'wait/lock/table/sql/handler'`,
      ])
    const tell = (tellingTables = ask): Promise<unknown> => writes.tell(tellingTables, ['uptime'])
    try {
      const told = await tell(async (sql) => {
        // Between the two questions after what is written.
        if (sql.includes('information_schema.tables')) await turn(false)
        return ask(sql)
      })
      await turn(true)
      await pause(1100)
      expect([told, await tell()]).toEqual([
        expect.objectContaining({ name: null }),
        expect.objectContaining({ name: null }),
      ])
      expect(warnings).toEqual(['changes are not followed: each commit costs all answers'])
    } finally {
      await turn(true)
      await world.server().kill()
      await world.server().restart()
    }
  }, 60_000)

  it('invalidates all responses if the counters are reset', async () => {
    const served = await serve()
    await keepsAgain(served, 'authors')
    const { headers } = await served.get('authors')
    await world.knex('authors').update({ name: 'Eve' })
    await world.knex.raw('truncate performance_schema.table_lock_waits_summary_by_table')
    await expectFresh(served, headers.etag)
    await world.knex('authors').update({ name: 'Ada' })
    await pause(1100)
    await keepsAgain(served, 'authors')
  }, 60_000)

  it('never reads the same counts before and after a reset', async () => {
    const [writer, asker] = [await connect(), await connect()]
    const told = async (): Promise<string> => {
      const [rows] = await asker.query({ sql: countsQuestion([], ['authors'], `'one'`), rowsAsArray: true })
      const counts = readCounts(rows as never)
      return JSON.stringify([
        counts?.definitions,
        counts?.counts
          .get('authors')
          ?.split(' ')
          .filter((_, at) => at !== 1) ?? '0',
      ])
    }
    const empty = `truncate performance_schema.table_lock_waits_summary_by_table`
    for (let round = 0; round < 200; round += 1) {
      await writer.query(empty)
      // Nothing is kept that was not read.
      await asker.query('select name from authors')
      const before = await told()
      await writer.query(`update authors set name = 'Eve'`)
      const truncate = { isOver: false }
      const emptied = writer.query(empty).finally(() => (truncate.isOver = true))
      while (!truncate.isOver) expect(await told()).not.toBe(before)
      await emptied
      expect(await told()).not.toBe(before)
    }
    await writer.query(`update authors set name = 'Ada'`)
    await writer.end()
    await asker.end()
  }, 120_000)
})

describeOn(['mysql'], ['an installed server'])('a transaction that %s keeps prepared over a restart', () => {
  const closing: (() => unknown)[] = []
  afterAll(async () => {
    for (const close of closing.reverse()) await close()
  })

  // MySQL lists its locks by names of files then, which have these characters in another form.
  it.each(['content', 'my-content', 'données'])(
    'is open until it ends, in a database with the name %s',
    async (database) => {
      // Without a log of changes it is taken back.
      const server = await startMySql(undefined, ['--log-bin=own', '--innodb-flush-log-at-trx-commit=1'])
      if (server === undefined) throw new Error('MySQL is not installed')
      closing.push(() => server.stop())
      const at = connectionTo(new URL(server.url), 3306, database)
      const host = await createConnection({ ...at, database: 'mysql' })
      await host.query('create database ??', [database])
      await host.end()
      const config = { contentTypes: library, database: { client: 'mysql2', connection: at } }
      await migrate(config)
      await seed(config, { author: [{ name: 'Ada' }] })
      const writer = await createConnection(at)
      for (const sql of [`xa start 'x'`, `update authors set name = 'Eve'`, `xa end 'x'`, `xa prepare 'x'`])
        await writer.query(sql)
      writer.destroy()
      await server.kill()
      await server.restart()
      const permissions = { public: { find: '*' } } as const
      const router = contentRouter({ ...config, permissions, cache: { feed: true }, logger: false })
      const asker = await askerOf(express().use('/api', router))
      closing.push(
        () => router.close(),
        () => asker.close(),
      )
      const names: unknown[] = []
      for (let round = 0; round < 5; round += 1) {
        names.push(...namesIn(await asker.ask('/api/authors')))
        await pause(150)
      }
      expect(names).toEqual(Array(5).fill('Ada'))
      expect(router.cache.stats().isFollowing).toBe(true)
      const other = await createConnection(at)
      await other.query(`xa commit 'x'`)
      await other.end()
      expect(namesIn(await asker.ask('/api/authors'))).toEqual(['Eve'])
    },
    90_000,
  )
})
