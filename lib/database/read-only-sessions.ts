import type { Knex } from 'knex'
import type { AfterCreate } from './for-reading'
import { filenameIn, isForOne } from './missing-file'

interface NumberedConnection {
  query(sql: string, done: (error: unknown, rows?: unknown) => void): void
  /** What the server called it, as the driver was told: `mysql2` and `pg`. */
  readonly threadId?: number
  readonly processID?: number
}

/** A pooler gives out the sessions of others: what is set for one of them would hold for whoever has it next. */
const setOnPostgres: AfterCreate = (given, done) => {
  const { processID = 0 } = given as NumberedConnection
  const setting = `select set_config('default_transaction_read_only', 'on', false) where pg_backend_pid() = ${String(processID)}`
  ;(given as NumberedConnection).query(setting, (error) => {
    done(error, given)
  })
}

/** As on PostgreSQL; a `set` has no condition. */
const setOnMysql: AfterCreate = (given, done) => {
  const connection = given as NumberedConnection
  connection.query('select connection_id() as id', (error, rows) => {
    const [row] = (rows ?? []) as readonly { readonly id: unknown }[]
    if (error !== null || Number(row?.id) !== connection.threadId) done(error, given)
    else
      connection.query('set session transaction read only', (refused) => {
        done(refused, given)
      })
  })
}

/** Strapi's own pool may keep connections open that nobody needs here, and wait a minute for one. */
const forOnePerson = { min: 0, max: 4 }
const patience = 10_000

/** A configuration by which nothing can be written, as far as the database helps to see to that. */
export function readOnlySessions(option: Knex.Config): Knex.Config {
  if (option.client === 'better-sqlite3') {
    const filename = filenameIn(option)
    if (typeof filename !== 'string' || isForOne(option)) return option
    const connection: Knex.BetterSqlite3ConnectionConfig = { filename, options: { readonly: true } }
    return { ...option, connection }
  }
  const afterCreate = option.client === 'pg' ? setOnPostgres : setOnMysql
  const pool = { ...forOnePerson, afterCreate, createTimeoutMillis: patience }
  return { ...option, pool, acquireConnectionTimeout: patience }
}
