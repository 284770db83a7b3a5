import { isAbsolute, join } from 'node:path'
import type { DatabaseConfig } from '../database'
import { ConfigError, type Fault } from '../errors'
import { UnreadableText } from './parse-module'
import type { ProjectConfig } from './project-config'
import {
  isList,
  isStaticFunction,
  isStaticRecord,
  spreadsUnknown,
  type StaticRecord,
  type StaticValue,
  unknownValue,
} from './static-value'

const clients: Readonly<Record<string, string>> = {
  sqlite: 'better-sqlite3',
  mysql: 'mysql2',
  postgres: 'pg',
}

/** No connection is written with more, and none lies deeper. */
const mostParts = 10_000
const deepest = 100

/** The places of what is not known; a value that is larger than any is not known as a whole. */
function unknownIn(value: StaticValue, place: string): readonly string[] {
  let parts = 0
  const within = (inner: StaticValue, at: string, depth: number): readonly string[] => {
    parts += 1
    if (parts > mostParts || depth > deepest) throw new UnreadableText('it is too large')
    if (inner === unknownValue || isStaticFunction(inner)) return [at]
    if (isList(inner)) return inner.flatMap((one, index) => within(one, `${at}.${String(index)}`, depth + 1))
    if (!isStaticRecord(inner)) return []
    if (spreadsUnknown(inner)) return [at]
    return [...inner].flatMap(([name, one]) => within(one, `${at}.${name}`, depth + 1))
  }
  try {
    return within(value, place, 0)
  } catch (error) {
    if (error instanceof UnreadableText) return [place]
    throw error
  }
}

/** A value in which nothing is unknown, as a driver takes it. */
function plainOf(value: StaticValue): unknown {
  if (isList(value)) return value.map(plainOf)
  if (!isStaticRecord(value)) return value
  const said = [...value].filter(([, inner]) => inner !== undefined)
  return Object.fromEntries(said.map(([name, inner]) => [name, plainOf(inner)]))
}

const where = 'config/database'
const remedy = 'hand it over: strapiProject(folder, { database })'
const fault = (place: string): Fault => ({ where, problem: `${place} is told by running it alone`, remedy })

/** Strapi is started in the project's folder, and takes a schema of PostgreSQL's for all tables. */
function connectionOf(client: string, connection: StaticRecord, root: string): Partial<DatabaseConfig> {
  const { schema, ...plain } = plainOf(connection) as Readonly<Record<string, unknown>>
  if (client === 'better-sqlite3') {
    const filename = String(plain['filename'])
    return {
      connection: { filename: isAbsolute(filename) ? filename : join(root, filename) },
      useNullAsDefault: true,
    }
  }
  const searchPath = client === 'pg' && typeof schema === 'string' ? { searchPath: [schema] } : {}
  return { connection: plain, ...searchPath }
}

/** The database of a Strapi project, as its configuration says it. */
export function projectDatabase({ at }: ProjectConfig, root: string): DatabaseConfig {
  const named = at('database', 'connection.client')
  const client = typeof named === 'string' ? clients[named] : undefined
  if (client === undefined) throw new ConfigError([fault('connection.client')])
  const connection = at('database', 'connection.connection')
  const unknown = unknownIn(connection, 'connection.connection')
  if (unknown.length > 0 || !isStaticRecord(connection)) {
    const places = unknown.length > 0 ? unknown : ['connection.connection']
    throw new ConfigError(places.map(fault))
  }
  const pool = at('database', 'connection.pool')
  const isPoolKnown = isStaticRecord(pool) && unknownIn(pool, '').length === 0
  const timeout = at('database', 'connection.acquireConnectionTimeout')
  return {
    client,
    ...connectionOf(client, connection, root),
    ...(isPoolKnown ? { pool: plainOf(pool) as object } : {}),
    ...(typeof timeout === 'number' ? { acquireConnectionTimeout: timeout } : {}),
  }
}
