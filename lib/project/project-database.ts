import { isAbsolute, join } from 'node:path'
import type { DatabaseConfig } from '../database'
import type { Fault } from '../errors'
import { DatabaseUntold, handOver } from './database-untold'
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

const strapiClients = 'mysql, postgres and sqlite'

/** A name of another kind is no secret, a connection string in the wrong place may be. */
const isName = (client: string): boolean => /^[\w-]+$/.test(client)

const strapiNameOf = (driver: string): string | undefined =>
  Object.keys(clients).find((name) => clients[name] === driver)

const written = (client: string): string =>
  client === '' ? 'empty' : isName(client) ? client : 'no name of a database'

const meantBy = (client: string): string => strapiNameOf(client) ?? 'one of them'

/** Where connections stand in a table by their clients, as create-strapi writes them, a mistyped name leads to none. */
function problemOfNoClient(variable: string | undefined): Pick<Fault, 'problem' | 'remedy'> {
  const problem = 'says no connection.client'
  if (variable === undefined || clients[variable] !== undefined)
    return { problem, remedy: `one of ${strapiClients}` }
  return {
    problem: `${problem}, as DATABASE_CLIENT is ${written(variable)}, and Strapi knows ${strapiClients} alone`,
    remedy: `set DATABASE_CLIENT to ${meantBy(variable)}`,
  }
}

function problemOfClient(
  client: StaticValue,
  variable: string | undefined,
): Pick<Fault, 'problem' | 'remedy'> {
  if (typeof client !== 'string') return problemOfNoClient(variable)
  const by = client === variable ? ', as DATABASE_CLIENT says' : ''
  return {
    problem: `connection.client is ${written(client)}${by}, and Strapi knows ${strapiClients} alone`,
    remedy: `write ${meantBy(client)}`,
  }
}

/** The names that lead there, as far as they are known. */
function unknownOn(path: string, { at }: ProjectConfig): string | undefined {
  const names = path.split('.')
  const paths = names.map((_name, index) => names.slice(0, index + 1).join('.'))
  return paths.find((one) => at('database', one) === unknownValue)
}

function unknownPlaces(config: ProjectConfig): readonly string[] {
  const connection = 'connection.connection'
  const unknown = unknownOn(connection, config)
  const within = unknown === undefined ? unknownIn(config.at('database', connection), connection) : [unknown]
  const client = unknownOn('connection.client', config)
  return [...new Set([...(client === undefined ? [] : [client]), ...within])]
}

/** What of the configuration cannot be told, and why. */
function faultsOf(config: ProjectConfig): readonly Fault[] {
  const { at, env } = config
  const where = config.placesOf('database').join(' and ')
  const client = at('database', 'connection.client')
  const isKnown = typeof client === 'string' && clients[client] !== undefined
  const untold = unknownPlaces(config).map((place) => {
    return { where, problem: `${place} is told by running it alone`, remedy: handOver }
  })
  if (client !== unknownValue && !isKnown)
    return [{ where, ...problemOfClient(client, env['DATABASE_CLIENT']) }, ...untold]
  const port = at('database', 'connection.connection.port')
  if (client !== 'sqlite' && typeof port === 'number' && isNaN(port))
    return [{ where, problem: 'connection.connection.port is no number', remedy: 'look at DATABASE_PORT' }]
  if (untold.length > 0 || isStaticRecord(at('database', 'connection.connection'))) return untold
  return [{ where, problem: 'says no connection.connection', remedy: handOver }]
}

/** A file that is none says nothing besides. */
function refuseUntold(config: ProjectConfig): void {
  const faults = faultsOf(config)
  if (faults.length === 0) return
  const ofFiles = config.faultsOf('database')
  throw new DatabaseUntold([...config.faultsOfEnv(), ...(ofFiles.length > 0 ? ofFiles : faults)])
}

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
export function projectDatabase(config: ProjectConfig, root: string): DatabaseConfig {
  refuseUntold(config)
  const { at } = config
  const client = clients[at('database', 'connection.client') as string] as string
  const connection = at('database', 'connection.connection') as StaticRecord
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
