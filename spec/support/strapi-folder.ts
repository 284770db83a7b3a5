import type { Knex } from 'knex'
import { createHash } from 'node:crypto'
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { jwtSecret } from './recorded-site'
import { recordingOf } from './recordings'

/** As `create-strapi-app` writes it, for JavaScript. */
const databaseFile = `const path = require('path')

module.exports = ({ env }) => {
  const client = env('DATABASE_CLIENT', 'sqlite')
  const server = (port) => ({
    host: env('DATABASE_HOST', 'localhost'),
    port: env.int('DATABASE_PORT', port),
    database: env('DATABASE_NAME', 'strapi'),
    user: env('DATABASE_USERNAME', 'strapi'),
    password: env('DATABASE_PASSWORD', 'strapi'),
    ssl: env.bool('DATABASE_SSL', false) && { rejectUnauthorized: env.bool('DATABASE_SSL_REJECT_UNAUTHORIZED', true) },
  })
  const pool = { min: env.int('DATABASE_POOL_MIN', 2), max: env.int('DATABASE_POOL_MAX', 10) }
  const connections = {
    mysql: { connection: server(3306), pool },
    postgres: { connection: { connectionString: env('DATABASE_URL'), ...server(5432) }, pool },
    sqlite: {
      connection: { filename: path.join(__dirname, '..', env('DATABASE_FILENAME', '.tmp/data.db')) },
      useNullAsDefault: true,
    },
  }
  return { connection: { client, ...connections[client], acquireConnectionTimeout: env.int('DATABASE_CONNECTION_TIMEOUT', 60000) } }
}
`

export const strapiFiles: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({ name: 'my-strapi', dependencies: { '@strapi/strapi': '5.47.1' } }),
  'config/database.js': databaseFile,
  'config/api.js': 'module.exports = { rest: { defaultLimit: 3, maxLimit: 50 } }',
  'config/plugins.js': 'module.exports = {}',
  'config/server.js': 'throw new Error("it is not loaded")',
  'src/index.js': 'throw new Error("it is not loaded")',
  'public/uploads/note.txt': 'kept by Strapi',
  'public/uploads/page.html': '<script>steal()</script>',
}

/** The types of the recorded Strapi, below `src`. */
export function addTypes(folder: string): void {
  cpSync(recordingOf('sqlite').contentTypes, join(folder, 'src'), { recursive: true })
}

const clients: Readonly<Record<string, string>> = {
  'better-sqlite3': 'sqlite',
  mysql2: 'mysql',
  pg: 'postgres',
}

/** What a project's `.env` says of a database. */
export function dotEnvFor({ client, connection }: Knex.Config): string {
  const given = connection as Readonly<Record<string, string | number>>
  const name = clients[String(client)] ?? ''
  const lines =
    name === 'sqlite'
      ? { DATABASE_FILENAME: '.tmp/data.db' }
      : {
          DATABASE_HOST: given['host'],
          DATABASE_PORT: given['port'],
          DATABASE_NAME: given['database'],
          DATABASE_USERNAME: given['user'],
          DATABASE_PASSWORD: given['password'],
        }
  return Object.entries({ DATABASE_CLIENT: name, JWT_SECRET: jwtSecret, API_TOKEN_SALT: 'salt', ...lines })
    .map(([key, value]) => `${key}=${String(value)}`)
    .join('\n')
}

/** Every file below a folder, by what is in it and when it was written. */
export function standOf(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return Object.fromEntries(
    names.map((name) => {
      const path = join(folder, name)
      const { mtimeMs } = statSync(path)
      const digest = statSync(path).isFile()
        ? createHash('sha1').update(readFileSync(path)).digest('hex')
        : ''
      return [name, `${String(mtimeMs)} ${digest}`]
    }),
  )
}

/** Makes Strapi projects, each in a folder of its own. */
export function projectsIn(
  path: string,
): (name: string, files?: Readonly<Record<string, string | null>>) => string {
  return (name, files = {}) => {
    const folder = join(path, name)
    const all: Readonly<Record<string, string | null>> = { ...strapiFiles, ...files }
    for (const [file, text] of Object.entries(all)) {
      if (text === null) continue
      mkdirSync(join(folder, file, '..'), { recursive: true })
      writeFileSync(join(folder, file), text)
    }
    addTypes(folder)
    return folder
  }
}

/** Copies a SQLite database to the place where a project looks for it. */
export function addDatabase(folder: string, { connection }: Knex.Config): void {
  mkdirSync(join(folder, '.tmp'), { recursive: true })
  copyFileSync((connection as { readonly filename: string }).filename, join(folder, '.tmp', 'data.db'))
}
