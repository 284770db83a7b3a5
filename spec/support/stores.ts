import { setTimeout as pause } from 'node:timers/promises'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { Knex } from 'knex'
import { createConnection } from 'mysql2/promise'
import { Client } from 'pg'
import type { DatabaseName } from './servers'
import { findProgram } from './servers/private-server'

/** Where databases come from: each is made empty, can be filled from a gzipped dump, and is dropped. */
export interface Store {
  /** How to reach a database of this name. */
  at(name: string): Knex.Config
  create(name?: string): Promise<Knex.Config>
  restore(config: Knex.Config, dumpFile: string): Promise<void>
  drop(config: Knex.Config): Promise<void>
}

interface ServerConnection {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly database: string
}

function variable(name: string): string {
  const value = process.env[name]
  if (value) return value
  throw new Error(`${name} is not set: run the specs through jest.config.js, which starts the servers`)
}

const serverUrl = (name: string): URL => new URL(variable(name))

export function connectionTo(url: URL, defaultPort: number, database: string): ServerConnection {
  return {
    host: url.hostname,
    port: Number(url.port || defaultPort),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database,
  }
}

const connectionOf = (config: Knex.Config): ServerConnection => config.connection as ServerConnection
const uniqueName = (): string => `content_router_${randomBytes(6).toString('hex')}`

async function pipeInto(
  names: readonly string[],
  parameters: readonly string[],
  env: object,
  dumpFile: string,
) {
  const program = findProgram(...names)
  if (program === undefined) throw new Error(`restoring ${dumpFile} needs ${names.join(' or ')}`)
  const stdio: ['pipe', 'ignore', 'pipe'] = ['pipe', 'ignore', 'pipe']
  const client = spawn(program, parameters, { env: { ...process.env, ...env }, stdio })
  const complaints: Buffer[] = []
  client.stderr.on('data', (part: Buffer) => complaints.push(part))
  const closed = once(client, 'close') as Promise<[number | null]>
  // A client that gives up closes its end of the pipe; its own words say more than the broken pipe.
  const piped = pipeline(createReadStream(dumpFile), createGunzip(), client.stdin).catch(
    (error: unknown) => error,
  )
  const [[code], broken] = await Promise.all([closed, piped])
  if (code === 0 && broken === undefined) return
  throw new Error(`${program} could not restore ${dumpFile}: ${Buffer.concat(complaints).toString()}`)
}

async function onMySql(variable: string, statement: string): Promise<void> {
  const connection = await createConnection(serverUrl(variable).href)
  try {
    await connection.query(statement)
  } finally {
    await connection.end()
  }
}

async function onPostgres(statement: string): Promise<void> {
  const client = new Client(serverUrl('TEST_POSTGRES_URL').href)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

const inUse = '55006'

/** What a router followed is let go a moment after the router has: a sender of the log is not ended by force. */
async function dropOnPostgres(database: string, until = Date.now() + 10_000): Promise<void> {
  try {
    await onPostgres(`DROP DATABASE ${database} WITH (FORCE)`)
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== inUse || Date.now() > until) throw error
    await pause(50)
    await dropOnPostgres(database, until)
  }
}

interface SqliteConnection {
  readonly filename: string
}

const sqlite: Store = {
  at: (name) => {
    const filename = join(variable('TEST_SQLITE_FOLDER'), `${name}.db`)
    return { client: 'better-sqlite3', connection: { filename }, useNullAsDefault: true }
  },
  create: (name = uniqueName()) => Promise.resolve(sqlite.at(name)),
  restore: async ({ connection }, dumpFile) => {
    const { filename } = connection as SqliteConnection
    await pipeline(createReadStream(dumpFile), createGunzip(), createWriteStream(filename))
  },
  drop: async ({ connection }) => {
    const { filename } = connection as SqliteConnection
    await Promise.all(['', '-wal', '-shm'].map((suffix) => rm(`${filename}${suffix}`, { force: true })))
  },
}

/** `collation`: that of the database in which Strapi's answers were recorded. */
function mysqlStore(variable: string, collation: string): Store {
  const at: Store['at'] = (name) => ({
    client: 'mysql2',
    connection: connectionTo(serverUrl(variable), 3306, name),
  })
  return {
    at,
    create: async (name = uniqueName()) => {
      await onMySql(variable, `CREATE DATABASE ${name} CHARACTER SET utf8mb4 COLLATE ${collation}`)
      return at(name)
    },
    restore: (config, dumpFile) => {
      const { host, port, user, password, database } = connectionOf(config)
      const parameters = [
        '--no-defaults',
        '--protocol=tcp',
        `--host=${host}`,
        `--port=${String(port)}`,
        `--user=${user}`,
      ]
      return pipeInto(['mariadb', 'mysql'], [...parameters, database], { MYSQL_PWD: password }, dumpFile)
    },
    drop: (config) => onMySql(variable, `DROP DATABASE ${connectionOf(config).database}`),
  }
}

const postgres: Store = {
  at: (name) => ({ client: 'pg', connection: connectionTo(serverUrl('TEST_POSTGRES_URL'), 5432, name) }),
  create: async (name = uniqueName()) => {
    await onPostgres(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8'`)
    return postgres.at(name)
  },
  restore: (config, dumpFile) => {
    const { host, port, user, password, database } = connectionOf(config)
    const env = {
      PGHOST: host,
      PGPORT: String(port),
      PGUSER: user,
      PGPASSWORD: password,
      PGDATABASE: database,
    }
    return pipeInto(['psql'], ['--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1'], env, dumpFile)
  },
  drop: (config) => dropOnPostgres(connectionOf(config).database),
}

export const stores: Readonly<Record<DatabaseName, Store>> = {
  sqlite,
  mariadb: mysqlStore('TEST_MARIADB_URL', 'utf8mb4_general_ci'),
  mysql: mysqlStore('TEST_MYSQL_URL', 'utf8mb4_0900_ai_ci'),
  postgres,
}
