// Comes in: the `database` option, a Knex configuration or a Knex instance. Goes out: a Database that knows its
// dialect. Refused: a client that is none of the three.
import type { Knex } from 'knex'
import { makeWithDriver, dialectNamed, type DialectName, driverOf, drivers } from './database/driver'
import { dropLost } from './database/database-failure'
import { forReading, isForOne, isMissingFile } from './database/for-reading'
import { faultsOfDatabase } from './database/database-faults'
import { ConfigError } from './errors'

/** Offered by editors; others are refused at start, as a type that refused them would refuse `Knex.Config` as well. */
type DriverClient = 'mysql2' | 'pg' | 'better-sqlite3' | (string & Record<never, never>) | typeof Knex.Client

/** Knex's configuration. What the environment does not have is undefined, which is told at start. */
export interface DatabaseConfig extends Omit<Knex.Config, 'client' | 'connection'> {
  /** The driver: `mysql2` for MySQL and MariaDB, `pg` for PostgreSQL, `better-sqlite3` for SQLite. */
  readonly client?: DriverClient
  /** A URL, or an object with `host`, `user`, `password`, `database`; `{ filename }` for SQLite. */
  readonly connection?: Knex.Config['connection'] | undefined
}
export type DatabaseOption = DatabaseConfig | Knex

export interface Database {
  readonly knex: Knex
  readonly dialect: DialectName
  /** Its connections are the host's, and set as it needs them. */
  readonly isHosts?: true
  /** Nobody else can have made tables in it. */
  readonly isForOne?: true
  /** Closes the pool if the router opened it; an instance that was handed in is its owner's to close. */
  close(): Promise<void>
}

/** Knex would print. What goes wrong is raised, and logged where it is caught. */
const log = {
  debug: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  deprecate: () => undefined,
}

function isInstance(option: DatabaseOption): option is Knex {
  return typeof option === 'function'
}

/** What is wrong with a configuration is told before this is asked; a Knex instance may be of any client. */
function dialectOf(client: unknown): DialectName {
  const dialect = dialectNamed(client)
  if (dialect !== undefined) return dialect
  throw new ConfigError(faultsOfDatabase({ client }))
}

function clientIn(knex: Knex): string | undefined {
  const { config, driverName } = Object(knex.client) as { config?: Knex.Config; driverName?: string }
  // One whose driver was found elsewhere has a client of its own, which is no name.
  return typeof config?.client === 'string' ? config.client : driverName
}

const openInstance = (knex: Knex): Database => ({
  ...{ knex, dialect: dialectOf(clientIn(knex)), isHosts: true },
  close: () => Promise.resolve(),
})

/** Before anything is opened. Null where it is not said, which is a fault that is told by itself. */
export function dialectIn(option: DatabaseOption | undefined): DialectName | null {
  if (option === undefined) return null
  if (isInstance(option)) return dialectNamed(clientIn(option)) ?? null
  const { client } = Object(option) as { readonly client?: unknown }
  return dialectNamed(client) ?? null
}

type MakeKnex = (config: Knex.Config) => Knex

/** A pool of connections, without those that are lost. */
function makePool(make: MakeKnex, option: Knex.Config, dialect: DialectName): Knex {
  const { tune, isInProcess } = drivers[dialect]
  const knex = make({ log, ...tune(option) })
  if (!isInProcess) dropLost(knex)
  return knex
}

function openPool(option: Knex.Config, dialect: DialectName): Database {
  const knex = makePool(makeWithDriver, option, dialect)
  const close = (): Promise<void> => knex.destroy()
  return isForOne(option) ? { knex, dialect, isForOne: true, close } : { knex, dialect, close }
}

/** What is to be done about such a database. */
export const shareInstance =
  'a :memory: database lives in one Knex instance, and each that is given this configuration opens another. Make one, const database = knex({ … }), and hand it to migrate, seed and contentRouter'

/** The configuration, once nothing is wrong with it. */
function checked(option: Exclude<DatabaseOption, Knex>): Knex.Config {
  const faults = faultsOfDatabase(option)
  if (faults.length > 0) throw new ConfigError(faults)
  return option as Knex.Config
}

export function openDatabase(option: DatabaseOption): Database {
  if (isInstance(option)) return openInstance(option)
  const config = checked(option)
  return openPool(config, dialectOf(config.client))
}

/** As `openDatabase`, for commands that change nothing: an empty database stands for a file of SQLite's that is not there. */
export function openForLooking(option: DatabaseOption): Database {
  if (isInstance(option) || !isMissingFile(option)) return openDatabase(option)
  checked(option)
  return openDatabase({ ...option, connection: ':memory:' })
}

/** As `openDatabase`, for reading only. An instance that was handed in stays as it is: the host may write through it. */
export function openForReading(option: DatabaseOption): Database {
  if (isInstance(option)) return openInstance(option)
  const config = checked(option)
  const dialect = dialectOf(config.client)
  return openPool(forReading(config, dialect), dialect)
}

/** The same for a caller who has a driver of its own, and closes the pool. */
export function makeForReading(option: DatabaseConfig, make: MakeKnex): Knex {
  const config = checked(option)
  const dialect = dialectOf(config.client)
  return makePool(make, forReading(config, dialect), dialect)
}

/** How many connections there are at most. Pools of drivers that were handed in may not tell. */
export function poolSize(database: Database): number {
  const { pool } = database.knex.client as { readonly pool?: { readonly max?: unknown } }
  if (typeof pool?.max === 'number') return pool.max
  return driverOf(database).isInProcess ? 1 : 10
}

export { type DialectName, driverOf } from './database/driver'
export { makeWithDriver } from './database/driver'
export { type AfterCreate, filenameIn, isForOne, isMissingFile } from './database/for-reading'
export { clientOf, faultsOfDatabase, withoutAddress } from './database/database-faults'
export {
  isDrift,
  missingName,
  isBusy,
  isCutOff,
  isDenied,
  isEnded,
  isLost,
  isOfFailed,
  isPreparedElsewhere,
  isStale,
  isUnreachable,
} from './database/database-failure'
