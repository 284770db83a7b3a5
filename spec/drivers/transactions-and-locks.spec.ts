import { setTimeout as pause } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { knex as makeKnex, type Knex } from 'knex'
import type { ContentRouterConfig } from '../../lib'
import { nobody } from '../../lib/access'
import { dialectOf } from '../../lib/sql'
import { openDatabase } from '../../lib/database'
import { makeDeadline, unprepared } from '../../lib/read'
import { withConnection } from '../../lib/read/with-connection'
import { describeOn, eachDatabase, type TestDatabase, testDatabase, type World } from '../support/databases'
import { collection, integer, library, relation, text } from '../support/library'
import { type Line, lineTo } from '../support/line'
import { idsThatWait } from '../support/locked-books'
import { saying } from '../support/saying'
import { type Entry, type Served, stocked } from '../support/served'

const types = [
  collection('author', {
    age: integer,
    country: relation('manyToOne', 'country', { inversedBy: 'authors' }),
  }),
  collection('country', { name: text, authors: relation('oneToMany', 'author', { mappedBy: 'country' }) }),
] as unknown as ContentRouterConfig['contentTypes']

type Writer = (state: number) => Promise<void> | void

/** In every state the author has one country, whose name is her age; the other country has neither. */
const statements = (state: number): readonly string[] => [
  `update authors set age = ${String(state)}`,
  `update countries set name = 'none'`,
  `update countries set name = '${String(state)}' where id = ${String(1 + (state % 2))}`,
  `update authors_country_lnk set country_id = ${String(1 + (state % 2))}`,
]

function isWhole({ age, country }: Entry): boolean {
  return (country as Entry | null)?.['name'] === String(age)
}

function isWholeCountry({ name, authors }: Entry): boolean {
  const ages = (authors as readonly Entry[]).map(({ age }) => String(age))
  return name === 'none' ? ages.length === 0 : ages.length === 1 && ages[0] === name
}

/** Puts a write before any of the pieces in which the statements of a response are sent. */
interface Interleaved {
  readonly served: Served
  readonly sent: () => string
  /** Writes once, before the piece of that number; `wrote` is false if there is no such piece. */
  ask(path: string, before: number): Promise<{ readonly entries: Entry[]; readonly wrote: boolean }>
}

interface Watched {
  readonly options: Partial<ContentRouterConfig>
  /** Calls before anything is sent. */
  watch(onSent: (sent: string) => Promise<void> | void): void
}

type Prepare = (sql: string) => Record<'run' | 'all', (...bindings: unknown[]) => unknown>

/** SQLite has no network: statements are seen as they are prepared and run. */
function watchedFile(config: Knex.Config, closing: World['closing']): Watched {
  let notify: (sent: string) => Promise<void> | void = () => undefined
  const knex = makeKnex({ ...config, useNullAsDefault: true })
  closing({ close: () => knex.destroy() })
  const client = knex.client as { acquireRawConnection(): Promise<{ prepare: Prepare }> }
  const open = client.acquireRawConnection.bind(client)
  client.acquireRawConnection = async () => {
    const connection = await open()
    const prepare = connection.prepare.bind(connection)
    connection.prepare = (sql) => {
      const statement = prepare(sql)
      for (const method of ['run', 'all'] as const) {
        const run = statement[method].bind(statement)
        statement[method] = (...bindings) => {
          void notify(sql)
          return run(...bindings)
        }
      }
      return statement
    }
    return connection
  }
  return {
    options: { database: knex },
    watch: (onSent) => {
      notify = onSent
    },
  }
}

function watchedLine(line: Line, config: Knex.Config, pool: object): Watched {
  const connection = { ...(config.connection as object), host: '127.0.0.1', port: line.port }
  return {
    options: { database: { ...config, connection, pool: { min: 1, max: 1, ...pool } } },
    watch: (onSent) => {
      line.watch((data) => onSent(data.toString('latin1')))
    },
  }
}

function interleaved(served: Served, watched: Watched, write: Writer): Interleaved {
  let state = 0
  let all = ''
  return {
    served,
    sent: () => all,
    ask: async (path, before) => {
      let pieces = 0
      let wrote = false
      all = ''
      watched.watch((sent) => {
        all += sent
        pieces += 1
        if (pieces !== before) return undefined
        wrote = true
        state += 1
        return write(state)
      })
      const entries = await served.list(path)
      watched.watch(() => undefined)
      return { entries, wrote }
    },
  }
}

eachDatabase((database: TestDatabase) => {
  const { world, serve } = stocked(database, types, {
    country: [{ $ref: 'one', name: 'none' }, { name: '0' }],
    author: [{ age: 0, country: 'one' }],
  })
  const lines: Line[] = []
  afterAll(() => Promise.all(lines.map((line) => line.close())))

  function writer({ knex, config }: World): Writer {
    if (database.dialect !== 'sqlite')
      return (state) =>
        knex.transaction(async (transaction) => {
          for (const statement of statements(state)) await transaction.raw(statement)
        })
    const { filename } = config.connection as { filename: string }
    return (state) => {
      const file = new Sqlite(filename)
      file.exec(`begin; ${statements(state).join('; ')}; commit`)
      file.close()
    }
  }

  async function watchedBy(pool: object): Promise<Watched> {
    if (database.dialect === 'sqlite') return watchedFile(world.config, (thing) => world.closing(thing))
    const { host, port } = world.config.connection as { host: string; port: number }
    const line = await lineTo(host, port)
    lines.push(line)
    return watchedLine(line, world.config, pool)
  }

  const start = async (options: Partial<ContentRouterConfig>, pool: object = {}): Promise<Interleaved> =>
    startOn(await watchedBy(pool), options)

  async function startOn(watched: Watched, options: Partial<ContentRouterConfig>): Promise<Interleaved> {
    const served = serve({ ...watched.options, ...options })
    await served.list('authors')
    const write = writer(world)
    await write(0)
    return interleaved(served, watched, write)
  }

  /** Puts a write at every place of two requests, and counts responses with a part of it. */
  async function torn(asked: Interleaved): Promise<{ readonly asked: number; readonly torn: number }> {
    const found = { asked: 0, torn: 0 }
    for (const [path, whole] of [
      ['authors?populate=country.authors', isWhole],
      ['countries?populate=authors', isWholeCountry],
    ] as const) {
      for (let before = 1; ; before += 1) {
        const { entries, wrote } = await asked.ask(path, before)
        if (!wrote) break
        found.asked += 1
        if (!entries.every(whole)) found.torn += 1
      }
    }
    return found
  }

  beforeAll(async () => {
    if (database.dialect === 'sqlite') await world.knex.raw('pragma journal_mode = wal')
  })

  it('a response reads one snapshot, wherever a transaction commits meanwhile', async () => {
    const { asked, torn: found } = await torn(await start({}))
    expect(found).toBe(0)
    expect(asked).toBeGreaterThanOrEqual(6)
  })

  it('several statements are sent in a transaction', async () => {
    const strict = await start({})
    await strict.ask('countries?populate=authors&sort=name', 0)
    expect(strict.sent()).toMatch(/begin|start transaction/i)
  })

  it('a single statement is sent without a transaction', async () => {
    const strict = await start({})
    await strict.ask('authors?populate=country&sort=age', 0)
    expect(strict.sent()).toContain('countries')
    expect(strict.sent()).not.toMatch(/begin|start transaction|commit/i)
  })

  if (database.dialect === 'sqlite') return

  const isolation = {
    mysql: 'set session transaction isolation level read committed',
    postgres: 'set session characteristics as transaction isolation level read committed',
  }[database.dialect]
  const afterCreate = saying(isolation)

  it('the snapshot holds on connections with another isolation level', async () => {
    expect((await torn(await start({}, { afterCreate }))).torn).toBe(0)
  })

  it('the snapshot holds on connections of a Knex instance, which keep their isolation level', async () => {
    const watched = await watchedBy({ afterCreate })
    const instance = makeKnex(watched.options.database as Knex.Config)
    world.closing({ close: () => instance.destroy() })
    expect((await torn(await startOn(watched, { database: instance }))).torn).toBe(0)
    if (database.dialect !== 'mysql') return
    const [rows] = (await instance.raw(`show variables like '%isolation'`)) as [{ Value: string }[]]
    expect(rows.map(({ Value }) => Value)).toContain('READ-COMMITTED')
  })
})

/** Locks in another order than the router reads: MySQL locks in the order of names. */
const locks = {
  mysql: { begin: 'do 0', lock: 'lock tables books write, genres write', end: 'unlock tables' },
  // The session that looks for a deadlock first is the one that fails.
  postgres: {
    begin: `set deadlock_timeout = '20s'; begin`,
    lock: 'lock table books, genres in access exclusive mode',
    end: 'commit',
  },
} as const

describeOn(['mariadb', 'mysql', 'postgres'])('a deadlock on %s', (name) => {
  const { world, serve } = stocked(testDatabase(name), library, {
    genre: [{ $ref: 'essay', name: 'Essay' }],
    book: [{ title: 'Dawn', genres: ['essay'] }],
  })
  const dialect = name === 'postgres' ? 'postgres' : 'mysql'

  async function untilWaiting(): Promise<void> {
    const until = Date.now() + 10_000
    while ((await idsThatWait(world.knex, dialect)).length === 0) {
      if (Date.now() > until) throw new Error('no statement waits for a lock')
      await pause(10)
    }
  }

  it('costs no response, as the router reads again', async () => {
    const connection = world.config.connection as { readonly host: string; readonly port: number }
    const line = await lineTo(connection.host, connection.port)
    const through = { ...connection, port: line.port }
    const { get } = serve({ database: { ...world.config, connection: through, pool: { min: 0, max: 2 } } })
    // A single session, whose statements follow each other.
    const other = makeKnex({ ...world.config, pool: { min: 1, max: 1 } })
    const { begin, lock, end } = locks[dialect]
    try {
      const path = 'genres?populate=books&pagination[withCount]=false'
      const whole = (await get(path)).text
      expect(whole).toContain('Dawn')
      let locking: Promise<unknown> | undefined
      line.watch(async (sent) => {
        if (locking !== undefined || !/from [`"]books/.test(sent.toString('latin1'))) return
        await other.raw(begin)
        locking = other.raw(lock).then(() => other.raw(end))
        await untilWaiting()
      })
      const { status, text: body } = await get(path)
      expect(locking).toBeDefined()
      await locking
      expect([status, body]).toEqual([200, whole])
    } finally {
      await other.destroy()
      await line.close()
    }
  }, 30_000)
})

interface Client {
  acquireConnection(): Promise<unknown>
  releaseConnection(connection: unknown): Promise<void>
}

interface ServerSession {
  query(sql: string): Promise<unknown>
}

/** A host may forget to end a failed transaction, and a pooler may lend a connection with one. */
describeOn(['postgres'])('a connection of %s in a failed transaction', (name) => {
  const { world, serve } = stocked(testDatabase(name), library, { book: [{ title: 'Dawn' }] })

  it.each(['books?populate=*', 'books', 'books/nobody'])(
    'is not used again, and costs no response: %s',
    async (path) => {
      for (const cache of [false, {}]) {
        const instance = makeKnex({ ...world.config, pool: { min: 0, max: 1 } })
        world.closing({ close: () => instance.destroy() })
        const client = instance.client as Client
        const { get } = serve({ database: instance, cache })
        const { status, text } = await get(path)
        const connection = await client.acquireConnection()
        await (connection as ServerSession).query('begin')
        await expect((connection as ServerSession).query('select 1 / 0')).rejects.toThrow('division by zero')
        await client.releaseConnection(connection)
        const again = await get(path)
        expect([again.status, again.text]).toEqual([status, text])
        const next = await get(path)
        expect([next.status, next.text]).toEqual([status, text])
      }
    },
  )
})

describeOn(['postgres'])('statements that are sent at once to %s', (name) => {
  const world = testDatabase(name).fresh()

  it('report the error of the first one that failed', async () => {
    const opened = openDatabase(world.config)
    world.closing(opened)
    const stop = makeDeadline(60_000)
    const reading = {
      ...{ database: opened, dialect: dialectOf(opened), onStatement: () => undefined, snapshot: true },
      ...{ prepared: unprepared.ofOthers, asker: nobody, emit: null, server: undefined, stop },
    }
    const statement = (sql: string) => ({ sql, bindings: [], shows: [] })
    const asked = withConnection(reading, async (run) => {
      const deep = async (levels: number): Promise<unknown> =>
        levels === 0 ? run(statement('select 1 from nowhere')) : await deep(levels - 1)
      const both = Promise.all([deep(40), run(statement('select 1'))])
      // Both results have arrived before either is handled, as on a busy machine.
      setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300))
      await both
    })
    await expect(asked).rejects.toMatchObject({ code: '42P01' })
    stop.finish()
  })
})
