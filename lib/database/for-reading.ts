import { existsSync } from 'node:fs'
import type { Knex } from 'knex'
import type { DialectName } from './driver'

export function filenameIn(option: unknown): unknown {
  if (typeof option !== 'object' || option === null) return undefined
  const { client, connection } = option as Partial<Knex.Config>
  if (client !== 'better-sqlite3') return undefined
  return typeof connection === 'string'
    ? connection
    : (connection as { filename?: unknown } | undefined)?.filename
}

/** A database in memory belongs to its only connection. */
export const isForOne = (option: unknown): boolean => filenameIn(option) === ':memory:'

export function isMissingFile(option: unknown): boolean {
  const filename = filenameIn(option)
  return typeof filename === 'string' && !/^(:memory:|file:|$)/.test(filename) && !existsSync(filename)
}

export type AfterCreate = (connection: unknown, done: (error: unknown, connection: unknown) => void) => void

interface ServerConnection {
  query(sql: string, done: (error: unknown) => void): void
}

interface SqliteConnection {
  pragma(text: string): unknown
}

const saying =
  (statement: string): AfterCreate =>
  (connection, done) => {
    ;(connection as ServerConnection).query(statement, (error) => {
      done(error, connection)
    })
  }

const inTurn =
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
 * sort keys of one row exceed a third of its sort buffer: ten text prefixes take 1.5 MB in some collations. MariaDB
 * ignores the comment. Both switches are off by default: MariaDB loses rows of partitions by `mrr`, MySQL changes
 * sorts by links.
 */
const setTransactions = inTurn(
  saying('set session transaction isolation level repeatable read'),
  saying(
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
const setCompilingAndPrinting = saying(
  `select set_config(name, case name when 'jit' then 'off' when 'DateStyle' then 'ISO, MDY' when 'client_encoding' then 'UTF8'
      else '3' end, false)
    from pg_settings where name in ('jit', 'DateStyle', 'client_encoding', 'extra_float_digits')`,
)

/** The driver would block the process while it waits; `whileBusy` does not. */
const setNoWait: AfterCreate = (connection, done) => {
  ;(connection as SqliteConnection).pragma('busy_timeout = 0')
  done(null, connection)
}

const settings: Readonly<Record<DialectName, AfterCreate>> = {
  mysql: setTransactions,
  sqlite: setNoWait,
  postgres: setCompilingAndPrinting,
}

/** The host's `afterCreate` runs first, so that it cannot undo these settings. */
export function forReading(option: Knex.Config, dialect: DialectName): Knex.Config {
  const ours = settings[dialect]
  const theirs = option.pool?.afterCreate as AfterCreate | undefined
  const afterCreate = theirs === undefined ? ours : inTurn(theirs, ours)
  return { ...option, pool: { ...option.pool, afterCreate } }
}
