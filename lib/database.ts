// Input: the `database` option, a Knex configuration or a Knex instance. Output: a Database that knows its dialect.
// Rejected: other clients.
import type { Knex } from 'knex'
import {
  type AfterCreate,
  inTurn,
  makeWithDriver,
  dialectNamed,
  type DialectName,
  driverOf,
  drivers,
  isForOne,
  isMissingFile,
} from './database/driver'
import { dropLost } from './database/database-failure'
import { faultsOfDatabase } from './database/database-faults'
import { ConfigError } from './errors'

/** Editors offer these; a stricter type would reject `Knex.Config`. */
type DriverClient = 'mysql2' | 'pg' | 'better-sqlite3' | (string & Record<never, never>) | typeof Knex.Client

/** Contains the configuration of Knex. At start, the router reports undefined values in the configuration. */
export interface DatabaseConfig extends Omit<Knex.Config, 'client' | 'connection'> {
  /** Sets the driver: `mysql2` for MySQL and MariaDB, `pg` for PostgreSQL, `better-sqlite3` for SQLite. */
  readonly client?: DriverClient
  /** Sets a URL, or an object with `host`, `user`, `password` and `database`. For SQLite, write `{ filename }`. */
  readonly connection?: Knex.Config['connection'] | undefined
}
export type DatabaseOption = DatabaseConfig | Knex

export interface Database {
  readonly knex: Knex
  readonly dialect: DialectName
  /** The host owns and configures its connections. */
  readonly isHosts?: true
  /** No other process can have made its tables. */
  readonly isForOne?: true
  /** Closes the router's own pool. A Knex instance of the host stays open. */
  close(): Promise<void>
}

const ignore = (): void => undefined

/** Knex would print errors that are thrown and logged anyway. */
const log = { debug: ignore, warn: ignore, error: ignore, deprecate: ignore }

function isInstance(option: DatabaseOption): option is Knex {
  return typeof option === 'function'
}

function dialectOf(client: unknown): DialectName {
  const dialect = dialectNamed(client)
  if (dialect !== undefined) return dialect
  throw new ConfigError(faultsOfDatabase({ client }))
}

function clientIn(knex: Knex): string | undefined {
  const { config, driverName } = Object(knex.client) as { config?: Knex.Config; driverName?: string }
  // A client with another driver is a class, without a name.
  return typeof config?.client === 'string' ? config.client : driverName
}

const openInstance = (knex: Knex): Database => {
  return { knex, dialect: dialectOf(clientIn(knex)), isHosts: true, close: () => Promise.resolve() }
}

/** Null if it is missing, which is a fault of its own. */
export function dialectIn(option: DatabaseOption | undefined): DialectName | null {
  const { client } = Object(option) as { readonly client?: unknown }
  return dialectNamed(typeof option === 'function' ? clientIn(option) : client) ?? null
}

function openPool(option: Knex.Config): Database {
  const knex = makePool(makeWithDriver, option)
  const own = { knex, dialect: dialectOf(option.client), close: () => knex.destroy() }
  return isForOne(option) ? { ...own, isForOne: true } : own
}

export const shareInstance =
  'create one instance with const database = knex({ … }), and pass the instance to migrate, seed and contentRouter, because each instance opens a separate :memory: database'

function checked(option: Exclude<DatabaseOption, Knex>): Knex.Config {
  const faults = faultsOfDatabase(option)
  if (faults.length > 0) throw new ConfigError(faults)
  return option as Knex.Config
}

export function openDatabase(option: DatabaseOption): Database {
  return isInstance(option) ? openInstance(option) : openPool(checked(option))
}

/** A missing file of SQLite stands for an empty database. */
export function openForLooking(option: DatabaseOption): Database {
  if (isInstance(option) || !isMissingFile(option)) return openDatabase(option)
  checked(option)
  return openDatabase({ ...option, connection: ':memory:' })
}

/** The host's `afterCreate` runs first, so that it cannot undo these settings. */
function forReading(option: Knex.Config): Knex.Config {
  const ours = drivers[dialectOf(option.client)].setReading
  const theirs = option.pool?.afterCreate as AfterCreate | undefined
  const afterCreate = theirs === undefined ? ours : inTurn(theirs, ours)
  return { ...option, pool: { ...option.pool, afterCreate } }
}

/** An instance of the host stays as it is, because the host may write through it. */
export function openForReading(option: DatabaseOption): Database {
  return isInstance(option) ? openInstance(option) : openPool(forReading(checked(option)))
}

type MakeKnex = (config: Knex.Config) => Knex

function makePool(make: MakeKnex, option: Knex.Config): Knex {
  const { tune, isInProcess } = drivers[dialectOf(option.client)]
  const knex = make({ log, ...tune(option) })
  if (!isInProcess) dropLost(knex)
  return knex
}

/** The caller has its own driver and closes the pool. */
export const makeForReading = (option: DatabaseConfig, make: MakeKnex): Knex =>
  makePool(make, forReading(checked(option)))

type PoolCounts = Readonly<Partial<Record<'numUsed' | 'numFree' | 'numPendingAcquires', () => number>>>

/** Pools of the host's drivers hide their counts and their size. */
export const poolOf = ({ knex }: Database): PoolCounts & { readonly max?: number } =>
  (knex.client as { readonly pool?: PoolCounts }).pool ?? {}

export const poolSize = (database: Database): number =>
  poolOf(database).max ?? (driverOf(database).isInProcess ? 1 : 10)

export {
  type AfterCreate,
  type DialectName,
  driverOf,
  filenameIn,
  isForOne,
  isMissingFile,
  makeWithDriver,
} from './database/driver'
export { clientOf, faultsOfDatabase } from './database/database-faults'
export * from './database/database-failure'
