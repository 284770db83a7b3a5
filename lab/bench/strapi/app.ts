// Writes a Strapi project around content types, by hand, as small as it can be.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Knex } from 'knex'
import { folderName } from '../../../lib/schema'
import { poolOf } from '../sides/ours'
import type { DatabaseName } from '../../../spec/support/servers'

/** Strapi's names of the clients. */
const dialects: Readonly<Record<DatabaseName, string>> = {
  sqlite: 'sqlite',
  mariadb: 'mysql',
  mysql: 'mysql',
  postgres: 'postgres',
}

interface Definition {
  readonly info: { readonly singularName: string }
}

function definitionsIn(folder: string): { readonly file: string; readonly text: string }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ file, text: readFileSync(file, 'utf8') }))
}

const factories = {
  controllers: 'createCoreController',
  services: 'createCoreService',
  routes: 'createCoreRouter',
} as const

/** Named otherwise than the type, as projects may do. */
interface TypeFolders {
  readonly api?: string | undefined
  readonly type?: string | undefined
}

/** A content type with routes, controller and service as Strapi makes them. */
export function writeApi(src: string, text: string, folders: TypeFolders = {}): void {
  const { singularName: name } = (JSON.parse(text) as Definition).info
  const { api: ofApi = name, type = name } = folders
  const apiName = folderName(ofApi)
  const api = join(src, 'api', ofApi)
  mkdirSync(join(api, 'content-types', type), { recursive: true })
  writeFileSync(join(api, 'content-types', type, 'schema.json'), text)
  for (const [folder, factory] of Object.entries(factories)) {
    mkdirSync(join(api, folder), { recursive: true })
    writeFileSync(
      join(api, folder, `${name}.js`),
      `module.exports = require('@strapi/strapi').factories.${factory}('api::${apiName}.${name}')\n`,
    )
  }
}

export function writeConfigFile(folder: string, file: string, value: unknown): void {
  const config = join(folder, 'config')
  mkdirSync(config, { recursive: true })
  writeFileSync(join(config, `${file}.js`), `module.exports = ${JSON.stringify(value, null, 2)}\n`)
}

/** What the plugins that Strapi brings along have to be told. */
export const ownPlugins = { 'users-permissions': { config: { jwtSecret: 'bench' } } }

function writeConfig(folder: string, name: DatabaseName, { connection }: Knex.Config): void {
  const write = (file: string, value: unknown): void => {
    writeConfigFile(folder, file, value)
  }
  const sqlite = { filename: (connection as { filename?: string }).filename }
  write('database', {
    connection: {
      client: dialects[name],
      connection: name === 'sqlite' ? sqlite : connection,
      // SQLite locks itself out of a transaction that a second connection of Strapi's is in.
      pool: poolOf(name),
      useNullAsDefault: true,
    },
  })
  write('server', {
    host: '127.0.0.1',
    port: 0,
    app: { keys: ['one', 'other'] },
    logger: { startup: { enabled: false } },
  })
  write('admin', {
    serveAdminPanel: false,
    auth: { secret: 'bench' },
    apiToken: { salt: 'bench' },
    transfer: { token: { salt: 'bench' } },
    secrets: { encryptionKey: 'bench-bench-bench-bench-bench-32' },
  })
  write('api', { rest: { defaultLimit: 25, maxLimit: 100, withCount: true } })
  write('plugins', ownPlugins)
  write('logger', { level: 'error' })
  write('middlewares', [
    'strapi::errors',
    'strapi::security',
    'strapi::cors',
    'strapi::query',
    'strapi::body',
    'strapi::session',
    'strapi::favicon',
    'strapi::public',
  ])
}

/** The public role may find everything: permissions are rows, made where they are missing. */
const bootstrap = `module.exports = {
  async bootstrap({ strapi }) {
    const role = await strapi.db.query('plugin::users-permissions.role').findOne({ where: { type: 'public' } })
    const types = Object.keys(strapi.contentTypes).filter((uid) => uid.startsWith('api::'))
    const actions = [...types.flatMap((uid) => [uid + '.find', uid + '.findOne']), 'plugin::upload.content-api.find']
    for (const action of actions) {
      const permissions = strapi.db.query('plugin::users-permissions.permission')
      const known = await permissions.findOne({ where: { action, role: role.id } })
      if (!known) await permissions.create({ data: { action, role: role.id } })
    }
  },
}
`

/** All of an app but its definitions. The installed packages are those of a folder above. */
export function writeAppAround(folder: string, name: DatabaseName, database: Knex.Config): void {
  const src = join(folder, 'src')
  mkdirSync(src, { recursive: true })
  mkdirSync(join(folder, 'public', 'uploads'), { recursive: true })
  writeConfig(folder, name, database)
  writeFileSync(join(src, 'index.js'), bootstrap)
  const dependencies = { '@strapi/strapi': '5', '@strapi/plugin-users-permissions': '5' }
  const pack = {
    name: basename(folder),
    version: '0.0.0',
    private: true,
    dependencies,
    strapi: { uuid: 'bench' },
  }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(pack))
}

export function writeApp(folder: string, name: DatabaseName, types: string, database: Knex.Config): void {
  rmSync(folder, { recursive: true, force: true })
  const src = join(folder, 'src')
  for (const { file, text } of definitionsIn(types)) {
    const [, component] = file.split('/components/')
    if (component === undefined) {
      writeApi(src, text)
      continue
    }
    const target = join(src, 'components', component)
    mkdirSync(join(target, '..'), { recursive: true })
    cpSync(file, target)
  }
  writeAppAround(folder, name, database)
}
