import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Knex } from 'knex'
import type { Fault } from '../errors'
import { faultsOfConnection } from './connection-fault'

const example = 'use { client, connection }, such as { client: "pg", connection: process.env.DATABASE_URL }'

const clients: readonly unknown[] = ['better-sqlite3', 'mysql2', 'pg']

function faultsOfClient(client: unknown): Fault[] {
  if (clients.includes(client)) return []
  const where = 'database.client'
  const remedy = `use one of ${clients.join(', ')}`
  if (client === undefined || client === null) return [{ where, problem: 'is missing', remedy }]
  // A connection string in the wrong place shall not be shown.
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

/** The client of the server that a URL names. */
export function clientOf(url: unknown): string | undefined {
  const scheme = schemeOf(url)
  return Object.hasOwn(clientsOf, scheme) ? clientsOf[scheme] : undefined
}

/** Of what is no server of a database. */
const otherSchemes: readonly string[] = ['http', 'https', 'sqlite', 'file']

/** The driver of one database would wait for the server of another until its time is up. */
function faultsOfScheme(client: unknown, url: unknown): Fault[] {
  const scheme = schemeOf(url)
  const problem = `is a URL of ${scheme}, and the client is ${String(client)}`
  const fault = (remedy: string): Fault[] => [{ where: 'database.connection', problem, remedy }]
  if (otherSchemes.includes(scheme) && client !== 'better-sqlite3')
    return fault(client === 'pg' ? 'postgres://…' : 'mysql://…')
  const meant = clientOf(url)
  return meant === undefined || meant === client ? [] : fault(`use client: '${meant}'`)
}

/** What SQLite keeps elsewhere than in a file has no folder. */
const isFile = (filename: string): boolean => !/^(:memory:|$)/.test(filename)

/** Knex and the driver would take it for something else than the file that it names. A drive of Windows has one letter. */
const isUrl = (filename: string): boolean => /^\w{2,}:/.test(filename)

function faultsOfFile(filename: unknown): Fault[] {
  const where = 'database.connection.filename'
  if (typeof filename !== 'string') {
    return [
      {
        where,
        problem: `is ${filename === undefined ? 'missing' : 'no path'}`,
        remedy: "':memory:' or a path",
      },
    ]
  }
  if (isUrl(filename)) {
    const remedy = "its path alone: connection: { filename: './content.db' }"
    return [
      { where: 'database.connection', problem: 'is a URL, where SQLite has the path of a file', remedy },
    ]
  }
  if (!isFile(filename) || existsSync(dirname(resolve(filename)))) return []
  return [
    {
      where,
      problem: 'its folder is not there',
      remedy: 'a path as seen from where the process was started',
    },
  ]
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
  // Knex asks a function for each connection.
  if (typeof connection === 'function') return []
  const { connectionString, filename } = Object(connection) as Readonly<Record<string, unknown>>
  const faults = faultsOfScheme(client, connectionString ?? connection)
  if (faults.length > 0) return faults
  if (client !== 'better-sqlite3') return faultsOfConnection(option)
  return faultsOfFile(typeof connection === 'string' ? connection : filename)
}

/** What is wrong with the option before anything is opened, in words that hold nothing of the connection. */
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
