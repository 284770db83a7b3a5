import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Knex } from 'knex'
import { type Fault, DatabaseError } from '../errors'
import { isUnreachable, isUntrusted, lacksTls } from './database-failure'
import { dialectNamed, drivers } from './driver'

const wrongLogin = 'it accepts neither this user nor this password'
const lockedLogin = 'the account of this user is locked, or its password has expired'
const manyOfUser = 'this user has as many connections as it may'
const noSuchDatabase = 'it has no database of this name'
const withoutTls = 'it speaks no TLS, which the connection asks for'

/** The messages hold no settings of the connection. */
const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens where it should be',
  ENOTFOUND: 'its host is not known',
  EMFILE: 'this process has as many files open as it may',
  ENFILE: 'this machine has as many files open as it can',
  EAI_AGAIN: 'its host is not known',
  ER_UNKNOWN_COM_ERROR: 'this node of Galera is cut off from its cluster',
  ER_ACCESS_DENIED_ERROR: wrongLogin,
  // The message does not reveal whether the database exists.
  ER_DBACCESS_DENIED_ERROR: `${noSuchDatabase}, or this user may not open it`,
  ER_ACCESS_DENIED_NO_PASSWORD_ERROR: wrongLogin,
  '28000': wrongLogin,
  '42501': 'this user may not connect to its database',
  '28P01': wrongLogin,
  ER_ACCOUNT_HAS_BEEN_LOCKED: lockedLogin,
  ER_MUST_CHANGE_PASSWORD: lockedLogin,
  ER_MUST_CHANGE_PASSWORD_LOGIN: lockedLogin,
  ER_TOO_MANY_USER_CONNECTIONS: manyOfUser,
  ER_USER_LIMIT_REACHED: manyOfUser,
  ER_SERVER_OFFLINE_MODE: 'it is in offline mode',
  ER_BAD_DB_ERROR: noSuchDatabase,
  '3D000': noSuchDatabase,
  HANDSHAKE_NO_SSL_SUPPORT: withoutTls,
}

/** Errors with too many codes, or none. */
function wordsFor(error: unknown): string | undefined {
  if (isUntrusted(error))
    return 'its certificate is not trusted here: name its authority in ssl.ca, with no sslmode in a URL beside it, and the host as the certificate does'
  return lacksTls(error) ? withoutTls : undefined
}

/** The driver's error holds the address, and often the user. */
export function withoutAddress(error: unknown): unknown {
  const { code } = (error ?? {}) as { readonly code?: unknown }
  const listed = typeof code === 'string' && Object.hasOwn(words, code) ? words[code] : undefined
  const known = listed ?? wordsFor(error)
  if (known === undefined && !isUnreachable(error)) return error
  const name = typeof code === 'string' ? code : 'UNREACHABLE'
  return new DatabaseError(name, known ?? 'there is no connection to it')
}

function isReadable(url: string): boolean {
  if (!/^(\w+:\/\/|socket:)/.test(url) || !URL.canParse(url)) return false
  const { username, password } = new URL(url)
  try {
    decodeURIComponent(username + password)
    return true
  } catch {
    return false
  }
}

/** Other texts would be taken for a file name, or be shown in an error. */
function faultsOfConnection({ client, connection }: Knex.Config): Fault[] {
  if (typeof connection !== 'string' || client === 'better-sqlite3') return []
  const isSocket = client === 'pg' && connection.startsWith('/')
  if (isSocket || isReadable(connection)) return []
  const problem = 'is no URL that can be read'
  const scheme = client === 'pg' ? 'postgres' : 'mysql'
  const remedy = `write ${scheme}://user:password@host/database; in the password # is %23, / is %2F and % is %25`
  return [{ where: 'database.connection', problem, remedy }]
}

const example = 'use { client, connection }, such as { client: "pg", connection: process.env.DATABASE_URL }'

function faultsOfClient(client: unknown): Fault[] {
  if (dialectNamed(client) !== undefined) return []
  const where = 'database.client'
  const remedy = `use one of ${Object.values(drivers)
    .map(({ client: name }) => name)
    .join(', ')}`
  if (client === undefined || client === null) return [{ where, problem: 'is missing', remedy }]
  // A connection string in the wrong place must not be shown.
  const isName = typeof client === 'string' && /^[\w-]+$/.test(client)
  return [{ where, problem: `${isName ? client : 'this client'} is not supported`, remedy }]
}

const clientsOf: Readonly<Record<string, string>> = {
  postgres: 'pg',
  postgresql: 'pg',
  mysql: 'mysql2',
  mariadb: 'mysql2',
}

const schemeOf = (url: unknown): string =>
  typeof url === 'string' ? (/^(\w+):\/\//.exec(url)?.[1] ?? '') : ''

export function clientOf(url: unknown): string | undefined {
  const scheme = schemeOf(url)
  return Object.hasOwn(clientsOf, scheme) ? clientsOf[scheme] : undefined
}

const otherSchemes: readonly string[] = ['http', 'https', 'sqlite', 'file']

/** A wrong driver would wait until its timeout. */
function faultsOfScheme(client: unknown, url: unknown): Fault[] {
  const scheme = schemeOf(url)
  const problem = `is a URL of ${scheme}, and the client is ${String(client)}`
  const fault = (remedy: string): Fault[] => [{ where: 'database.connection', problem, remedy }]
  if (otherSchemes.includes(scheme) && client !== 'better-sqlite3')
    return fault(client === 'pg' ? 'postgres://…' : 'mysql://…')
  const meant = clientOf(url)
  return meant === undefined || meant === client ? [] : fault(`use client: '${meant}'`)
}

/** Databases in memory have no folder. */
const isFile = (filename: string): boolean => !/^(:memory:|$)/.test(filename)

/** Knex and the driver would misread a URL. A Windows drive has one letter. */
const isUrl = (filename: string): boolean => /^\w{2,}:/.test(filename)

function faultsOfFile(filename: unknown): Fault[] {
  const where = 'database.connection.filename'
  if (typeof filename !== 'string') {
    const problem = `is ${filename === undefined ? 'missing' : 'no path'}`
    return [{ where, problem, remedy: "':memory:' or a path" }]
  }
  if (isUrl(filename)) {
    const problem = 'is a URL, where SQLite has the path of a file'
    const remedy = "its path alone: connection: { filename: './content.db' }"
    return [{ where: 'database.connection', problem, remedy }]
  }
  if (!isFile(filename) || existsSync(dirname(resolve(filename)))) return []
  const remedy = 'a path as seen from where the process was started'
  return [{ where, problem: 'its folder is not there', remedy }]
}

const isBlank = (value: unknown): boolean => typeof value === 'string' && value.trim() === ''

function faultsWithConnection(option: Knex.Config): Fault[] {
  const { client } = option
  const connection: unknown = option.connection
  const where = 'database.connection'
  if (connection === undefined || connection === null || isBlank(connection)) {
    const problem = isBlank(connection) ? 'is empty' : `is ${String(connection)}`
    return [{ where, problem, remedy: 'a variable of the environment, such as DATABASE_URL, may not be set' }]
  }
  // Knex calls a function for each connection.
  if (typeof connection === 'function') return []
  const { connectionString, filename } = Object(connection) as Readonly<Record<string, unknown>>
  const faults = faultsOfScheme(client, connectionString ?? connection)
  if (faults.length > 0) return faults
  if (client !== 'better-sqlite3') return faultsOfConnection(option)
  return faultsOfFile(typeof connection === 'string' ? connection : filename)
}

/** The messages hold no part of the connection. */
export function faultsOfDatabase(option: unknown): Fault[] {
  if (typeof option === 'function') return []
  const where = 'database'
  if (option === undefined || option === null) return [{ where, problem: 'is missing', remedy: example }]
  if (typeof option !== 'object' || Array.isArray(option) || 'then' in option)
    return [{ where, problem: 'is neither a Knex configuration nor a Knex instance', remedy: example }]
  const { client } = option as Knex.Config
  const faults = faultsOfClient(client)
  if (faults.length > 0) return faults
  return faultsWithConnection(option as Knex.Config)
}
