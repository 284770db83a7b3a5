import type { Knex } from 'knex'
import { filenameIn, isForOne } from './missing-file'

type Done = (error: unknown, connection: unknown) => void

interface Queried {
  query(sql: string, done: (error: unknown, rows?: unknown) => void): void
}

interface MysqlConnection extends Queried {
  readonly threadId?: number
}

interface PostgresConnection extends Queried {
  readonly processID?: number
}

/** A pooler gives out the sessions of others: what is set for one of them would hold for whoever has it next. */
function setOnPostgres(given: unknown, done: Done): void {
  const connection = given as PostgresConnection
  const number = String(connection.processID ?? 0)
  const setting = `select set_config('default_transaction_read_only', 'on', false) where pg_backend_pid() = ${number}`
  connection.query(setting, (error) => {
    done(error, given)
  })
}

/** As on PostgreSQL; a `set` has no condition. */
function setOnMysql(given: unknown, done: Done): void {
  const connection = given as MysqlConnection
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
