import { knex as makeKnex, type Knex } from 'knex'
import { ConfigError } from '../errors'
import { existsSync } from 'node:fs'

/** Knex's message, followed by the places of its search. */
const cannotLoad = /^Knex: run\s*\$ npm install ([\w-]+)/

const driverFault = (problem: string, remedy: string): ConfigError =>
  new ConfigError([{ where: 'database.client', problem, remedy }])

/** The driver beside Knex; `instead` is called if it is missing. */
export function makeWithDriver(config: Knex.Config, instead?: (driver: string) => Knex | null): Knex {
  try {
    return makeKnex(config)
  } catch (error) {
    const { message } = error as Error
    const [, name] = cannotLoad.exec(message) ?? []
    if (name === undefined) throw error
    // For example a driver compiled for another Node.
    if (!message.includes('Cannot find module'))
      throw driverFault(`the driver ${name} cannot be loaded`, `run npm rebuild ${name}`)
    const other = instead?.(name) ?? null
    if (other !== null) return other
    throw driverFault(`the driver ${name} is not installed`, `run npm install ${name}`)
  }
}

export type DialectName = 'sqlite' | 'mysql' | 'postgres'

export type AfterCreate = (connection: unknown, done: (error: unknown, connection: unknown) => void) => void

interface ServerConnection {
  query(sql: string, done: (error: unknown) => void): void
}

interface SqliteConnection {
  pragma(text: string): unknown
}

const runStatement =
  (statement: string): AfterCreate =>
  (connection, done) => {
    ;(connection as ServerConnection).query(statement, (error) => {
      done(error, connection)
    })
  }

export const inTurn =
  (first: AfterCreate, second: AfterCreate): AfterCreate =>
  (connection, done) => {
    first(connection, (error) => {
      if (error !== null && error !== undefined) done(error, connection)
      else second(connection, done)
    })
  }

/**
 * Snapshots need this isolation level, and autocommit: otherwise the first statement would open a long transaction,
 * which blocks `alter table`. Results are UTF-8. Sorts compare as many bytes as cursors rely on. MySQL fails if the
 * sort keys of one row exceed a third of its sort buffer. Ten text prefixes take 1.5 MB in some collations. MariaDB
 * ignores the comment. Both switches are off by default: MariaDB loses rows of partitions by `mrr`, MySQL changes
 * sorts by links.
 */
const setTransactions = inTurn(
  runStatement('set session transaction isolation level repeatable read'),
  runStatement(
    `set session autocommit = 1, session character_set_results = utf8mb4,
      session max_sort_length = cast(greatest(@@max_sort_length, 1024) as unsigned),
      session sort_buffer_size = cast(greatest(@@sort_buffer_size, 262144) as unsigned)
      /*!80000 , session sort_buffer_size = cast(greatest(@@sort_buffer_size, 8388608) as unsigned) */
      /*!80021 , session optimizer_switch = 'subquery_to_derived=off' */ /*M! , session optimizer_switch = 'mrr=off' */`,
  ),
)

/**
 * PostgreSQL's JIT would take longer than most queries, and starts for small tables without statistics. Dates and
 * floats are parsed in the printed form: 3 prints all digits in older versions, too. The driver expects UTF-8.
 */
const setCompilingAndPrinting = runStatement(
  `select set_config(name, case name when 'jit' then 'off' when 'DateStyle' then 'ISO, MDY' when 'client_encoding' then 'UTF8'
      else '3' end, false)
    from pg_settings where name in ('jit', 'DateStyle', 'client_encoding', 'extra_float_digits')`,
)

/** The driver would block the process while it waits; `whileBusy` does not. */
const setNoWait: AfterCreate = (connection, done) => {
  ;(connection as SqliteConnection).pragma('busy_timeout = 0')
  done(null, connection)
}

interface Driver {
  readonly client: string
  /** It has no connections to lose, and reads block the process. */
  readonly isInProcess: boolean
  /** True if statements can be prepared on the server by name. */
  readonly namesStatements: boolean
  /** Settings that the configuration may override. */
  readonly tune: (option: Knex.Config) => Knex.Config
  /** Settings of each connection that reads. */
  readonly setReading: AfterCreate
  readonly rowsIn: (result: unknown) => unknown
}

/** The statements of a level are sent together. Older versions of `pg` ignore the setting. */
const pgSettings = { pipeline: true }

function withPgSettings(connection: Knex.Config['connection']): Knex.Config {
  if (typeof connection === 'string') return { connection: { ...pgSettings, connectionString: connection } }
  return typeof connection === 'object' ? { connection: Object.assign({ ...pgSettings }, connection) } : {}
}

export const drivers: Readonly<Record<DialectName, Driver>> = {
  sqlite: {
    client: 'better-sqlite3',
    isInProcess: true,
    namesStatements: false,
    tune: (option) => ({ useNullAsDefault: true, ...option }),
    setReading: setNoWait,
    rowsIn: (rows) => rows,
  },
  mysql: {
    client: 'mysql2',
    isInProcess: false,
    namesStatements: false,
    tune: (option) => option,
    setReading: setTransactions,
    rowsIn: (result) => (result as readonly unknown[])[0],
  },
  postgres: {
    client: 'pg',
    isInProcess: false,
    namesStatements: true,
    tune: (option) => ({ ...option, ...withPgSettings(option.connection) }),
    setReading: setCompilingAndPrinting,
    rowsIn: (result) => (result as { readonly rows: unknown }).rows,
  },
}

export const driverOf = ({ dialect }: { readonly dialect: DialectName }): Driver => drivers[dialect]

export const dialectNamed = (client: unknown): DialectName | undefined =>
  (Object.keys(drivers) as DialectName[]).find((name) => drivers[name].client === client)

export function filenameIn(option: unknown): unknown {
  const { client, connection } = Object(option) as Partial<Knex.Config>
  if (client !== 'better-sqlite3') return undefined
  const { filename } = Object(connection) as { readonly filename?: unknown }
  return typeof connection === 'string' ? connection : filename
}

/** A database in memory belongs to its only connection. */
export const isForOne = (option: unknown): boolean => filenameIn(option) === ':memory:'

export function isMissingFile(option: unknown): boolean {
  const filename = filenameIn(option)
  return typeof filename === 'string' && !/^(:memory:|file:|$)/.test(filename) && !existsSync(filename)
}
