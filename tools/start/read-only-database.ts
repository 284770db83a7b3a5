import { createRequire } from 'node:module'
import { join } from 'node:path'
import { knex as makeKnex, type Knex } from 'knex'
import {
  type AfterCreate,
  type DatabaseConfig,
  filenameIn,
  isForOne,
  makeForReading,
  makeWithDriver,
} from '../../lib/database'
import { nodeSqlite } from './node-sqlite'

const sqlite = 'better-sqlite3'

/** Native modules are loaded only at the first connection, and may be built for another Node version. */
function opensNothing(driver: unknown): boolean {
  try {
    new (driver as new (filename: string) => { close(): void })(':memory:').close()
    return false
  } catch {
    return true
  }
}

/** The driver installed in a folder; else Node's own. Null without both. */
function driverIn(folder: string, name: string): (() => unknown) | null {
  const load = createRequire(join(folder, 'package.json'))
  const own = name === sqlite ? nodeSqlite() : null
  try {
    load.resolve(name)
  } catch {
    return own === null ? null : () => own
  }
  return () => {
    const driver: unknown = load(name)
    return own !== null && opensNothing(driver) ? own : driver
  }
}

type ClientClass = new (config: Knex.Config) => Knex.Client

function clientWith(load: () => unknown, name: string): typeof Knex.Client {
  // Without a connection no driver is loaded.
  const { client } = makeKnex({ client: name, useNullAsDefault: true }) as unknown as {
    readonly client: { constructor: ClientClass }
  }
  const own = class extends client.constructor {
    _driver(): unknown {
      return load()
    }
  }
  return own as unknown as typeof Knex.Client
}

/** Drivers are searched next to Knex, then in the folder, then in Node. */
function makeWithDriverNear(folder: string, config: Knex.Config): Knex {
  const makeWith = (load: () => unknown, name: string): Knex =>
    makeWithDriver({ ...config, client: clientWith(load, name) })
  const made = makeWithDriver(config, (name) => {
    const load = driverIn(folder, name)
    return load === null ? null : makeWith(load, name)
  })
  const own = config.client === sqlite ? nodeSqlite() : null
  if (own === null || !opensNothing((made.client as { readonly driver: unknown }).driver)) return made
  return makeWith(() => own, sqlite)
}

interface NumberedConnection {
  query(sql: string, done: (error: unknown, rows?: unknown) => void): void
  /** Connection ids of the server, named by `mysql2` and `pg`. */
  readonly threadId?: number
  readonly processID?: number
}

/** Poolers share sessions: the setting applies only if the session belongs to this connection. */
const setOnPostgres: AfterCreate = (given, done) => {
  const { processID = 0 } = given as NumberedConnection
  const setting = `select set_config('default_transaction_read_only', 'on', false) where pg_backend_pid() = ${String(processID)}`
  ;(given as NumberedConnection).query(setting, (error) => {
    done(error, given)
  })
}

/** The same for MySQL, in two statements, as a `set` has no condition. */
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

/** Strapi's own pool settings may keep idle connections open, and wait a minute for one. */
const forOnePerson = { min: 0, max: 4 }
const patience = 10_000

/** A configuration that prevents writes, as far as the database supports it. */
function readOnlySessions(option: DatabaseConfig): DatabaseConfig {
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

/**
 * For a router that must never write: a file of SQLite is opened read-only, and sessions of servers are read-only. The
 * driver may be the one installed in a folder.
 */
export const readOnlyDatabase = (option: DatabaseConfig, folder: string): Knex =>
  makeForReading(readOnlySessions(option), (config) => makeWithDriverNear(folder, config))
