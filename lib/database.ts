// Comes in: the `database` option, a Knex configuration or a Knex instance. Goes out: a Database that knows its
// dialect. Refused: a client that is none of the three.
import { knex as makeKnex, type Knex } from 'knex'
import { forReading } from './database/for-reading'
import { faultsOfConnection } from './database/connection-fault'
import { ConfigError } from './errors'

export type DatabaseOption = Knex.Config | Knex
export type DialectName = 'sqlite' | 'mysql' | 'postgres'

export interface Database {
  readonly knex: Knex
  readonly dialect: DialectName
  /** Closes the pool if the router opened it; an instance that was handed in is its owner's to close. */
  close(): Promise<void>
}

/** Knex would print; what goes wrong is raised, and told to the logger by whoever answers for it. */
const log = {
  debug: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  deprecate: () => undefined,
}

const dialects: Readonly<Record<string, DialectName>> = {
  'better-sqlite3': 'sqlite',
  mysql2: 'mysql',
  pg: 'postgres',
}

function isInstance(option: DatabaseOption): option is Knex {
  return typeof option === 'function'
}

function dialectOf(client: unknown): DialectName {
  const dialect = typeof client === 'string' ? dialects[client] : undefined
  if (dialect !== undefined) return dialect
  const clients = Object.keys(dialects).join(', ')
  // A connection string in the wrong place shall not be shown.
  const named = /^[\w-]+$/.test(String(client)) ? String(client) : 'this client'
  throw new ConfigError([
    {
      where: 'database.client',
      problem: `${named} is not supported`,
      remedy: `use one of ${clients}`,
    },
  ])
}

/** The statements of a level are sent together. Versions of the driver that cannot do so pay no heed to it. */
function inPipeline(connection: Knex.Config['connection']): Knex.Config {
  if (typeof connection === 'string') {
    const settings: Knex.PgConnectionConfig & { readonly pipeline: boolean } = {
      connectionString: connection,
      pipeline: true,
    }
    return { connection: settings }
  }
  return typeof connection === 'object' ? { connection: Object.assign({ pipeline: true }, connection) } : {}
}

/** What each database wants said, unless the configuration says otherwise. */
function tuned(option: Knex.Config, dialect: DialectName): Knex.Config {
  switch (dialect) {
    case 'sqlite':
      return { useNullAsDefault: true, ...option }
    case 'postgres':
      return { ...option, ...inPipeline(option.connection) }
    case 'mysql':
      return option
  }
}

function openInstance(knex: Knex): Database {
  const { config } = knex.client as { config: Knex.Config }
  return { knex, dialect: dialectOf(config.client), close: () => Promise.resolve() }
}

function openPool(option: Knex.Config, dialect: DialectName): Database {
  const faults = faultsOfConnection(option)
  if (faults.length > 0) throw new ConfigError(faults)
  const knex = makeKnex({ log, ...tuned(option, dialect) })
  return { knex, dialect, close: () => knex.destroy() }
}

export function openDatabase(option: DatabaseOption): Database {
  return isInstance(option) ? openInstance(option) : openPool(option, dialectOf(option.client))
}

/** As `openDatabase`, for whoever reads only. An instance that was handed in stays as it is: others write through it. */
export function openForReading(option: DatabaseOption): Database {
  if (isInstance(option)) return openInstance(option)
  const dialect = dialectOf(option.client)
  return openPool(forReading(option, dialect), dialect)
}

/** How many connections the pool has at most. Pools of drivers that were handed in may not tell. */
export function poolSize({ knex, dialect }: Database): number {
  const { pool } = knex.client as { readonly pool?: { readonly max?: unknown } }
  if (typeof pool?.max === 'number') return pool.max
  return dialect === 'sqlite' ? 1 : 10
}

export { withoutAddress } from './database/connection-fault'
export { isDrift, missingName } from './database/drift'
export { isBusy, isLost, isStale, isUnreachable } from './database/failure'
export { clockOf, makeNow, type Moment, type Now, type ReadAt } from './database/moment'
export { mysqlServer, postgresState, sqliteState } from './database/state'
export { remember, type Remembered } from './database/remember'
export { rememberEach } from './database/remember-each'
