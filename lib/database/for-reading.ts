import { existsSync } from 'node:fs'
import type { Knex } from 'knex'
import type { DialectName } from './driver'

/** What a configuration has SQLite open. */
export function filenameIn(option: unknown): unknown {
  if (typeof option !== 'object' || option === null) return undefined
  const { client, connection } = option as Partial<Knex.Config>
  if (client !== 'better-sqlite3') return undefined
  return typeof connection === 'string'
    ? connection
    : (connection as { filename?: unknown } | undefined)?.filename
}

/** Whether a configuration means a database of its own to each that opens it, which is gone once that closes it. */
export const isForOne = (option: unknown): boolean => filenameIn(option) === ':memory:'

/** Whether SQLite would make the file that the configuration names. */
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
 * Set even where the server may have it by default: snapshots hold at this isolation alone. Where nothing is committed by
 * itself, the first statement would open a transaction that sees for good what was there by then, and hold up who alters tables.
 * A server may have the session answer with fewer letters than are stored, or look at fewer bytes of what it sorts by than
 * cursors rely on. MySQL fails if the sort keys of one row do not fit into a third of its sort buffer. Ten
 * beginnings of texts take 1.5 MB in some collations. It uses no more of the buffer than it needs. MariaDB skips the comment.
 * What both have off by default is turned off: MariaDB loses rows of partitions by it, MySQL sorts by links otherwise.
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
 * What an answer takes is read before PostgreSQL would have compiled it. It compiles what it takes for large, as it does
 * a few joins of tables that it has no statistics of: and of those with less than fifty rows it never gathers any. Dates
 * and floats come as it prints them, with all their digits: 3 asks for these in its older versions, too. The driver speaks
 * UTF-8, whatever the session was told.
 */
const setCompilingAndPrinting = saying(
  `select set_config(name, case name when 'jit' then 'off' when 'DateStyle' then 'ISO, MDY' when 'client_encoding' then 'UTF8'
      else '3' end, false)
    from pg_settings where name in ('jit', 'DateStyle', 'client_encoding', 'extra_float_digits')`,
)

/** The driver would wait for a writer by holding the process; `whileBusy` waits without. */
const setNoWait: AfterCreate = (connection, done) => {
  ;(connection as SqliteConnection).pragma('busy_timeout = 0')
  done(null, connection)
}

const settings: Readonly<Record<DialectName, AfterCreate>> = {
  mysql: setTransactions,
  sqlite: setNoWait,
  postgres: setCompilingAndPrinting,
}

/** A pool that only reads. The owner's own `afterCreate` goes first, so that it cannot undo what answers rest on. */
export function forReading(option: Knex.Config, dialect: DialectName): Knex.Config {
  const ours = settings[dialect]
  const theirs = option.pool?.afterCreate as AfterCreate | undefined
  const afterCreate = theirs === undefined ? ours : inTurn(theirs, ours)
  return { ...option, pool: { ...option.pool, afterCreate } }
}
