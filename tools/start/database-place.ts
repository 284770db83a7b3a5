import { statSync } from 'node:fs'
import { relative } from 'node:path'
import type { DatabaseConfig, DatabaseOption } from '../../lib/database'

const servers: Readonly<Record<string, string>> = { pg: 'PostgreSQL', mysql2: 'MySQL or MariaDB' }

const units = ['bytes', 'kB', 'MB', 'GB', 'TB']

function sizeOf(file: string): string {
  const { size } = statSync(file)
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(size, 1)) / 3))
  const number = size / 1000 ** power
  return `${number >= 10 || power === 0 ? String(Math.round(number)) : number.toFixed(1)} ${units[power] ?? ''}`
}

type ConnectionParts = Readonly<Record<string, unknown>>

/** What a connection says of its place, of which nothing else may be shown. */
interface ServerPlace {
  readonly database: string
  readonly host: string
  readonly port: string
}

const partsOf = (connection: unknown): ConnectionParts => Object(connection) as ConnectionParts

const textIn = (parts: ConnectionParts, name: string): string => {
  const value = parts[name]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

function placeIn(connection: unknown): ServerPlace | null {
  const url = typeof connection === 'string' ? connection : partsOf(connection)['connectionString']
  if (typeof url === 'string') {
    if (!URL.canParse(url)) return null
    const { hostname: host, port, pathname } = new URL(url)
    return { host, port, database: pathname.slice(1) }
  }
  const parts = partsOf(connection)
  const path = textIn(parts, 'socketPath')
  const host = path === '' ? textIn(parts, 'host') : path
  return { host, port: textIn(parts, 'port'), database: textIn(parts, 'database') }
}

function serverPlace({ client, connection }: DatabaseConfig): string {
  const name = typeof client === 'string' ? (servers[client] ?? client) : 'a database'
  const place = placeIn(connection)
  if (place === null) return name
  const at = `${place.host === '' ? 'localhost' : place.host}${place.port === '' ? '' : `:${place.port}`}`
  return `${name}, ${place.database === '' ? 'its default database' : `database ${place.database}`} at ${at}`
}

const filenameOf = (connection: unknown): unknown =>
  typeof connection === 'string' ? connection : (connection as ConnectionParts | undefined)?.['filename']

/** Where a database is, in words that hold no user and no password. */
export function databasePlace(option: DatabaseOption, folder: string): string {
  if (typeof option === 'function') return "the config's own Knex instance"
  const { client, connection } = option
  const filename = filenameOf(connection)
  if (client !== 'better-sqlite3' || typeof filename !== 'string') return serverPlace(option)
  const shown = relative(folder, filename)
  return `SQLite, ${shown.startsWith('..') ? filename : shown} (${sizeOf(filename)})`
}
