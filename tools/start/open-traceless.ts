import { resolve, join, relative } from 'node:path'
import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import type { RequestHandler } from 'express'
import {
  clientOf,
  type Database,
  type DatabaseConfig,
  filenameIn,
  isMissingFile,
  openDatabase,
  type DatabaseOption,
} from '../../lib/database'
import type { ContentRouterConfig } from '../../lib/http'
import type { ExampleQueries } from '../../extensions/explorer'
import { readOnlyDatabase } from './read-only-database'
import { StartError, type StartOptions } from './start-options'

export interface Site {
  readonly title: string
  readonly name: string
  readonly config: Omit<ContentRouterConfig, 'database'>
  /** True if Strapi makes its tables. */
  readonly isOfStrapi: boolean
  readonly opened: TracelessDatabase
  readonly prefix: string
  readonly uploads: RequestHandler | null
  readonly notes: readonly string[]
  readonly examples: readonly ExampleQueries[]
}

/** A site with the usual address, without files and examples. */
export const plainSite = {
  isOfStrapi: false,
  prefix: '/api',
  uploads: null,
  notes: [],
  examples: [],
} as const

const servers: Readonly<Record<string, string>> = { pg: 'PostgreSQL', mysql2: 'MySQL or MariaDB' }

const units = ['bytes', 'kB', 'MB', 'GB', 'TB']

function sizeOf(file: string): string {
  const { size } = statSync(file)
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(size, 1)) / 3))
  const number = size / 1000 ** power
  return `${number >= 10 || power === 0 ? String(Math.round(number)) : number.toFixed(1)} ${units[power] ?? ''}`
}

type PlacePart = 'host' | 'port' | 'database' | 'socketPath' | 'connectionString'

type ServerPlace = Partial<Readonly<Record<PlacePart, string | number>>>

/** Null for a text that is no URL. */
function placeIn(connection: unknown): ServerPlace | null {
  const parts = Object(connection) as ServerPlace
  const url = typeof connection === 'string' ? connection : parts.connectionString
  if (typeof url !== 'string') return parts
  if (!URL.canParse(url)) return null
  const { hostname, port, pathname } = new URL(url)
  return { host: hostname, port, database: pathname.slice(1) }
}

function serverPlace({ client, connection }: DatabaseConfig): string {
  const name = typeof client === 'string' ? (servers[client] ?? client) : 'a database'
  const place = placeIn(connection)
  if (place === null) return name
  const { socketPath = '', host = '', port = '', database = '' } = place
  const at = [socketPath, host, 'localhost'].find((part) => part !== '')
  const named = database === '' ? 'its default database' : `database ${String(database)}`
  return `${name}, ${named} at ${String(at)}${port === '' ? '' : `:${String(port)}`}`
}

/** Host and name of a database, without user and password. */
function databasePlace(option: DatabaseOption, folder: string): string {
  if (typeof option === 'function') return "the config's own Knex instance"
  const filename = filenameIn(option)
  if (typeof filename !== 'string') return serverPlace(option)
  const shown = relative(folder, filename)
  return `SQLite, ${shown.startsWith('..') ? filename : shown} (${sizeOf(filename)})`
}

function folderNamed(folder: string): StartError {
  const [file] = readdirSync(folder)
    .filter((name) => /\.(db|sqlite3?)$/.test(name))
    .sort()
  const meant = file === undefined ? 'path/to/data.db' : join(folder, file)
  return new StartError(`${folder} is a folder. Name the file of the database: --connection ${meant}`)
}

/** The first bytes of a file identify its type. An empty file is a database without tables. */
function isDatabase(file: string): boolean {
  const head = Buffer.alloc(16)
  const opened = openSync(file, 'r')
  try {
    const length = readSync(opened, head, 0, head.length, 0)
    return length === 0 || head.toString('latin1').startsWith('SQLite format 3\0')
  } finally {
    closeSync(opened)
  }
}

/** SQLite itself would fail only at the first query, with a less helpful message. */
function refuseOtherFiles(file: string): void {
  const stat = statSync(file)
  if (stat.isDirectory()) throw folderNamed(file)
  if (stat.isFile() && isDatabase(file)) return
  throw new StartError(
    `${file} is not a SQLite database, or the file is encrypted.\nSet the file or the server of the database: --connection <where>`,
  )
}

export interface TracelessDatabase {
  readonly option: DatabaseOption
  readonly database: Database
  readonly place: string
  readonly close: () => Promise<void>
}

function fileOf(option: DatabaseConfig): string | null {
  const given = filenameIn(option)
  return typeof given === 'string' && !/^(:memory:|file:|$)/.test(given) ? given : null
}

function missingFile(file: string, isStrapi: boolean): StartError {
  const makes = isStrapi
    ? 'Start Strapi once with npm run develop to create the file'
    : 'Run npx express-content-router migrate to create the file'
  return new StartError(
    `There is no database file ${file}.\n${makes}. Or set the path of another file: --connection path/to/data.db`,
  )
}

/** A URL names its client. Other texts are files of SQLite. */
export function databaseAt({
  client: named,
  where,
}: NonNullable<StartOptions['connection']>): DatabaseConfig {
  const client = named ?? clientOf(where) ?? 'better-sqlite3'
  return { client, connection: client === 'better-sqlite3' ? { filename: where } : where }
}

/** Opens a database without writing to it. A Knex instance of a config is used as it is. */
export function openTraceless(option: DatabaseOption, folder: string, isStrapi: boolean): TracelessDatabase {
  if (typeof option === 'function') {
    const place = databasePlace(option, folder)
    return { option, place, database: openDatabase(option), close: () => option.destroy() }
  }
  const given = fileOf(option)
  const file = given === null ? null : resolve(folder, given)
  const seen = file === null ? option : { ...option, connection: { filename: file } }
  if (isMissingFile(seen)) throw missingFile(String(given), isStrapi)
  if (file !== null) refuseOtherFiles(file)
  const knex = readOnlyDatabase(seen, folder)
  return {
    option: knex,
    database: openDatabase(knex),
    place: databasePlace(seen, folder),
    close: () => knex.destroy(),
  }
}
