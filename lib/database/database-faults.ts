import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Knex } from 'knex'
import { type Fault, faultAt } from '../errors'
import { dialectNamed, drivers } from './driver'

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
  if (typeof connection !== 'string' || isReadable(connection)) return []
  if (client === 'pg' && connection.startsWith('/')) return []
  const problem = 'the connection of the database must be a valid URL'
  const scheme = client === 'pg' ? 'postgres' : 'mysql'
  const remedy = `write ${scheme}://user:password@host/database. In the password, write %23 for #, %2F for / and %25 for %`
  return faultAt('database.connection', problem, remedy)
}

const example = 'write an object such as { client: "pg", connection: process.env.DATABASE_URL }'

function faultsOfClient(client: unknown): Fault[] {
  if (dialectNamed(client) !== undefined) return []
  const where = 'database.client'
  const known = Object.values(drivers).map((driver) => driver.client)
  const remedy = `set database.client to one of ${known.join(', ')}`
  if (client === undefined || client === null) return faultAt(where, 'the client is missing', remedy)
  // A connection string in the wrong place must not be shown.
  const isName = typeof client === 'string' && /^[\w-]+$/.test(client)
  return faultAt(where, `the client${isName ? ` ${client}` : ''} is not supported`, remedy)
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
  const problem = `the connection URL begins with ${scheme}://, but database.client is ${String(client)}`
  const fault = (remedy: string): Fault[] => faultAt('database.connection', problem, remedy)
  if (otherSchemes.includes(scheme) && client !== 'better-sqlite3')
    return fault(`write a URL that begins with ${client === 'pg' ? 'postgres' : 'mysql'}://`)
  const meant = clientOf(url)
  return meant === undefined || meant === client ? [] : fault(`set client: '${meant}'`)
}

function faultsOfFile(filename: unknown): Fault[] {
  const where = 'database.connection.filename'
  if (typeof filename !== 'string') {
    const problem = `the path of the database file is ${filename === undefined ? 'missing' : 'not a string'}`
    return faultAt(where, problem, `write the path of the database file, or ':memory:'`)
  }
  // Knex and the driver would misread a URL. A Windows drive has one letter.
  if (/^\w{2,}:/.test(filename)) {
    const problem = 'the connection is a URL, but SQLite requires the path of a database file'
    const remedy = `write the path as connection: { filename: './content.db' }`
    return faultAt('database.connection', problem, remedy)
  }
  // Databases in memory have no folder.
  if (/^(:memory:|$)/.test(filename) || existsSync(dirname(resolve(filename)))) return []
  const remedy = 'correct the path. A relative path starts at the working directory of the process'
  return faultAt(where, 'the folder of the database file does not exist', remedy)
}

const isBlank = (value: unknown): boolean => typeof value === 'string' && value.trim() === ''

function faultsWithConnection(option: Knex.Config): Fault[] {
  const { client } = option
  const connection: unknown = option.connection
  if (connection === undefined || connection === null || isBlank(connection)) {
    const problem = `the option database.connection is ${isBlank(connection) ? 'empty' : String(connection)}`
    return faultAt('database.connection', problem, 'check environment variables such as DATABASE_URL')
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
  if (option === undefined || option === null) return faultAt(where, 'the option is missing', example)
  if (Array.isArray(option))
    return faultAt(where, 'database cannot be a list of servers', 'set the URL of a proxy')
  if (typeof option !== 'object' || 'then' in option)
    return faultAt(where, 'database must be a Knex configuration or a Knex instance', example)
  const faults = faultsOfClient((option as Knex.Config).client)
  return faults.length > 0 ? faults : faultsWithConnection(option as Knex.Config)
}
