import { isAbsolute, join } from 'node:path'
import type { DatabaseConfig } from '../../lib/database'
import { ConfigError, type Fault } from '../../lib/errors'
import { isConfigObject, type ProjectConfig } from './load-config'

/** `config/database` of a project names no database. */
export class DatabaseUnknown extends ConfigError {}

const clients = new Map<unknown, string>([
  ['mysql', 'mysql2'],
  ['postgres', 'pg'],
  ['sqlite', 'better-sqlite3'],
])

/** Any other value may be a connection string with a password. */
const shown = (client: unknown): string =>
  typeof client === 'string' && /^[\w-]+$/.test(client) ? client : 'not a name'

function faultOf({ at, faultOf: loadFault, placesOf, env }: ProjectConfig): Fault | null {
  const remedy =
    'correct the database settings of the Strapi project, or pass the database with strapiProject(folder, { database })'
  const load = loadFault('database')
  if (load !== undefined) return { where: load.place, problem: load.problem, remedy }
  const where = placesOf('database').join(' and ')
  if (where === '') {
    const problem =
      'the folder config needs database.js or database.json, or database.ts with a tsconfig.json'
    return { where: 'config', problem, remedy }
  }
  const [client, connection, port] = ['client', 'connection', 'connection.port'].map((name) =>
    at('database', `connection.${name}`),
  )
  if (!clients.has(client)) {
    const problem = `connection.client is ${shown(client ?? env['DATABASE_CLIENT'])}, but must be mysql, postgres or sqlite`
    return { where, problem, remedy }
  }
  if (typeof connection !== 'function' && !isConfigObject(connection))
    return { where, problem: 'the file does not set the key connection.connection', remedy }
  return Number.isNaN(port) ? { where, problem: 'connection.connection.port must be a number', remedy } : null
}

/** Strapi runs in the project's folder, and reads a PostgreSQL `schema` as the schema of all tables. */
function connectionOf(client: string, connection: unknown, root: string): Partial<DatabaseConfig> {
  if (!isConfigObject(connection)) return { connection: connection as DatabaseConfig['connection'] }
  const { schema, ...given } = connection
  const plain = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  if (client === 'pg' && typeof schema === 'string') return { connection: plain, searchPath: [schema] }
  if (client !== 'better-sqlite3') return { connection: plain }
  const filename = String(plain['filename'])
  const connected = { filename: isAbsolute(filename) ? filename : join(root, filename) }
  return { connection: connected, useNullAsDefault: true }
}

export function projectDatabase(config: ProjectConfig, root: string): DatabaseConfig {
  const fault = faultOf(config)
  if (fault !== null) throw new DatabaseUnknown([fault])
  const client = String(clients.get(config.at('database', 'connection.client')))
  const pool = config.at('database', 'connection.pool')
  const timeout = config.at('database', 'connection.acquireConnectionTimeout')
  return {
    client,
    ...connectionOf(client, config.at('database', 'connection.connection'), root),
    ...(isConfigObject(pool) ? { pool } : {}),
    ...(typeof timeout === 'number' ? { acquireConnectionTimeout: timeout } : {}),
  }
}
