import Sqlite from 'better-sqlite3'
import { knex as makeKnex, type Knex } from 'knex'
import type { ContentRouterConfig } from '../../lib'
import { eachDatabase, type TestDatabase, type World } from '../support/databases'
import { collection, integer, relation, text } from '../support/library'
import { type Line, lineTo } from '../support/line'
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

/** In every state the author is of one country, whose name is her age; the other country has neither. */
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

/** Serves such that a write can be put before any of the pieces in which an answer's statements are sent. */
interface Interleaved {
  readonly served: Served
  readonly sent: () => string
  /** Writes once, before the piece of that number; says whether there was such a piece. */
  ask(path: string, before: number): Promise<{ readonly entries: Entry[]; readonly wrote: boolean }>
}

interface Watched {
  readonly options: Partial<ContentRouterConfig>
  /** Called before anything is sent. */
  watch(onSent: (sent: string) => Promise<void> | void): void
}

type Prepare = (sql: string) => Record<'run' | 'all', (...bindings: unknown[]) => unknown>

/** SQLite has no line: what runs is seen where it is prepared. */
function watchedFile(config: Knex.Config, closing: World['closing']): Watched {
  let tell: (sent: string) => Promise<void> | void = () => undefined
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
          void tell(sql)
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
      tell = onSent
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

  /** Of answers into which a write fell, at every place that there is for it, those that show a part of it. */
  async function halves(asked: Interleaved): Promise<{ readonly asked: number; readonly halves: number }> {
    const found = { asked: 0, halves: 0 }
    for (const [path, whole] of [
      ['authors?populate=country.authors', isWhole],
      ['countries?populate=authors', isWholeCountry],
    ] as const) {
      for (let before = 1; ; before += 1) {
        const { entries, wrote } = await asked.ask(path, before)
        if (!wrote) break
        found.asked += 1
        if (!entries.every(whole)) found.halves += 1
      }
    }
    return found
  }

  beforeAll(async () => {
    if (database.dialect === 'sqlite') await world.knex.raw('pragma journal_mode = wal')
  })

  it('never answers with half of what was written while it read', async () => {
    const { asked, halves: found } = await halves(await start({}))
    expect(found).toBe(0)
    expect(asked).toBeGreaterThanOrEqual(6)
  })

  it('reads what is there statement by statement where relaxed, and begins nothing', async () => {
    const relaxed = await start({ consistency: 'relaxed' })
    const { halves: found } = await halves(relaxed)
    expect(found).toBeGreaterThan(0)
    // A text of its own: PostgreSQL gets only the name of what was sent before.
    await relaxed.ask('countries?populate=authors&sort=name', 0)
    expect(relaxed.sent()).toContain('countries')
    expect(relaxed.sent()).not.toMatch(/begin|start transaction|commit/i)
  })

  it('begins a transaction otherwise', async () => {
    const strict = await start({})
    await strict.ask('countries?populate=authors&sort=name', 0)
    expect(strict.sent()).toMatch(/begin|start transaction/i)
  })

  it('begins none for what one statement reads', async () => {
    const strict = await start({})
    await strict.ask('authors?populate=country&sort=age', 0)
    expect(strict.sent()).toContain('countries')
    expect(strict.sent()).not.toMatch(/begin|start transaction|commit/i)
  })

  if (database.dialect === 'sqlite') return

  const level = {
    mysql: 'set session transaction isolation level read committed',
    postgres: 'set session characteristics as transaction isolation level read committed',
  }[database.dialect]
  const afterCreate = saying(level)

  it('has its snapshot where connections are set to another isolation', async () => {
    expect((await halves(await start({}, { afterCreate }))).halves).toBe(0)
  })

  it('has its snapshot on connections of the host, and leaves them set as they were', async () => {
    const watched = await watchedBy({ afterCreate })
    const instance = makeKnex(watched.options.database as Knex.Config)
    world.closing({ close: () => instance.destroy() })
    expect((await halves(await startOn(watched, { database: instance }))).halves).toBe(0)
    if (database.dialect !== 'mysql') return
    const [rows] = (await instance.raw(`show variables like '%isolation'`)) as [{ Value: string }[]]
    expect(rows.map(({ Value }) => Value)).toContain('READ-COMMITTED')
  })
})
