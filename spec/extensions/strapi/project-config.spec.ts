import { execFile } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type ContentRouterConfig, ConfigError } from '../../../lib'
import { isFromDatabase, isStrapiAuth, strapiProject } from '../../../extensions/strapi'
import { projectFolder } from '../../support/project-folder'

type Files = Readonly<Record<string, string | null>>
type Variables = Readonly<Record<string, string>>

const repository = join(__dirname, '..', '..', '..')
const { path, write } = projectFolder()
let made = 0

/** A TypeScript project, unless `tsconfig.json` is null. */
function projectOf(files: Files, env: Variables = {}) {
  const name = `project-${String((made += 1))}`
  const all: Files = {
    'tsconfig.json': '{}',
    'config/database.json': '{ "connection": { "client": "postgres", "connection": { "host": "here" } } }',
    'config/api.json': '{}',
    '.env': 'JWT_SECRET=users\nAPI_TOKEN_SALT=tokens\n',
    ...files,
  }
  const there = Object.entries(all).flatMap(([file, text]): [string, string][] =>
    text === null ? [] : [[`${name}/${file}`, text]],
  )
  write(Object.fromEntries(there))
  const root = join(path, name)
  return { root, project: () => strapiProject(root, { env }) }
}

const privateIn = ({ extensions = [] }: ContentRouterConfig): readonly string[] | undefined =>
  extensions[0]?.defaults?.privateAttributes

const optionsOf = (files: Files, env: Variables = {}): ContentRouterConfig =>
  projectOf(files, env).project().options

/** `config/database` in place of the JSON file. */
const databaseIn = (file: string, text: string, more: Files = {}): Files => ({
  'config/database.json': null,
  [file]: text,
  ...more,
})

const toPostgres = `client: 'postgres', connection: { host: 'here' }`
const kinds = `{
    mysql: { client: 'mysql', connection: { host: env('DATABASE_HOST', 'localhost'), port: env.int('DATABASE_PORT', 3306) } },
    postgres: {
      client: 'postgres',
      connection: {
        connectionString: env('DATABASE_URL'),
        host: env('DATABASE_HOST', 'localhost'),
        ssl: env.bool('DATABASE_SSL', false) && { rejectUnauthorized: env.bool('DATABASE_SSL_STRICT', true) },
        schema: env('DATABASE_SCHEMA', 'public'),
      },
      pool: { min: env.int('DATABASE_POOL_MIN', 2), max: env.int('DATABASE_POOL_MAX', 10) },
    },
    sqlite: {
      client: 'sqlite',
      connection: { filename: path.join(__dirname, '..', UP env('DATABASE_FILENAME', '.tmp/data.db')) },
      useNullAsDefault: true,
    },
  }`
const rest = `if (!isDatabaseClientKind(client)) throw new Error('No such database')
  return { connection: { ...kinds[client], acquireConnectionTimeout: env.int('DATABASE_TIMEOUT', 60000) } }`

describe('what create-strapi writes', () => {
  const typescript = databaseIn(
    'config/database.ts',
    `import path from 'path'
import type { Core } from '@strapi/strapi'
import { isDatabaseClientKind } from '@strapi/database'

const config = ({ env }: Core.Config.Shared.ConfigParams): Core.Config.Database => {
  const client = env('DATABASE_CLIENT', 'sqlite')
  const kinds: Record<Core.Config.Database.ClientKind, Core.Config.Database['connection']> = ${kinds.replace('UP', "'..',")}
  ${rest}
}
export default config`,
  )
  const javascript = databaseIn(
    'config/database.js',
    `'use strict'
const path = require('path')
const { isDatabaseClientKind } = require('@strapi/database')

module.exports = ({ env }) => {
  const client = env('DATABASE_CLIENT', 'sqlite')
  const kinds = ${kinds.replace('UP', '')}
  ${rest}
}`,
    { 'tsconfig.json': null },
  )

  describe.each([
    ['TypeScript, whose paths are those of compiled files', typescript],
    ['JavaScript', javascript],
  ])('is loaded in %s', (_language, files) => {
    it.each<[string, Variables, (root: string) => object]>([
      [
        'sqlite',
        {},
        (root) => ({
          client: 'better-sqlite3',
          connection: { filename: join(root, '.tmp/data.db') },
          useNullAsDefault: true,
        }),
      ],
      [
        'mysql',
        { DATABASE_CLIENT: 'mysql', DATABASE_PORT: '3307' },
        () => ({ client: 'mysql2', connection: { host: 'db', port: 3307 } }),
      ],
      [
        'postgres',
        { DATABASE_CLIENT: 'postgres', DATABASE_SSL: 'true', DATABASE_SCHEMA: 'blog' },
        () => ({
          client: 'pg',
          connection: { host: 'db', ssl: { rejectUnauthorized: true } },
          searchPath: ['blog'],
          pool: { min: 2, max: 10 },
        }),
      ],
    ])('for %s', (_client, env, database) => {
      const { root, project } = projectOf({ ...files, '.env': 'DATABASE_HOST=db\nDATABASE_PORT=1' }, env)
      expect(project().options.database).toEqual({ ...database(root), acquireConnectionTimeout: 60_000 })
    })
  })
})

describe('config/database', () => {
  it.each<[string, Files]>([
    [
      'an ES module of JavaScript',
      databaseIn(
        'config/database.js',
        `import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
const here = dirname(fileURLToPath(import.meta.url))
export default { connection: { client: 'postgres', connection: { host: here.endsWith('/config') ? 'here' : here } } }`,
        { 'tsconfig.json': null, 'package.json': '{ "type": "module" }' },
      ),
    ],
    ['export =', databaseIn('config/database.ts', `export = { connection: { ${toPostgres} } }`)],
    [
      'a name that is exported as default',
      databaseIn(
        'config/database.ts',
        `const config = { connection: { ${toPostgres} } }\nexport { config as default }`,
      ),
    ],
    [
      'enums, satisfies and assertions',
      databaseIn(
        'config/database.ts',
        `enum Kind { Postgres = 'postgres' }
const enum Port { First = 5432, Second }
const hosts = { [Port.Second]: 'here' } as const
export default (() => ({
  connection: { client: (Kind.Postgres as string)!, connection: { host: hosts[5433] } } satisfies object,
})) satisfies unknown`,
      ),
    ],
    [
      'a switch, and a function of the file',
      databaseIn(
        'config/database.ts',
        `export default ({ env }) => {
  switch (env('KIND')) {
    case 'pg': return { connection: connect('here') }
    default: throw new Error('no such kind')
  }
}
function connect(host: string) { return { client: 'postgres', connection: { host } } }`,
      ),
    ],
    [
      'other files of the project',
      databaseIn(
        'config/database.ts',
        `import client, { host as named } from './parts/names'
import * as all from '../shared/all.js'
import json from './parts/more.json'
import other = require('./common')
export default { connection: { client, connection: { host: named + all.end + json.end + other.end } } }`,
        {
          'config/parts/names.ts': `export const host = 'h'\nexport default 'postgres'`,
          'shared/all.ts': `const end = 'e'\nexport { end }`,
          'config/parts/more.json': '{ "end": "r" }',
          'config/common/index.js': `module.exports = { end: require('./more').end }`,
          'config/common/more.js': `const end = 'e'\nmodule.exports = { end }`,
        },
      ),
    ],
    [
      'the wrapper and the env of Strapi',
      databaseIn(
        'config/database.ts',
        `import { factories } from '@strapi/strapi'
import { env } from '@strapi/utils'
export default factories.defineDatabaseConfig(() => ({
  connection: { client: 'postgres', connection: { host: env('KIND') === 'pg' ? 'here' : 'there' } },
}))`,
      ),
    ],
    [
      'a package that is not installed, but not used for the database either',
      databaseIn(
        'config/database.ts',
        `import vault, { connect } from 'vault-of-ours'
const other = () => connect(vault.address)
export default { connection: { ${toPostgres} } }`,
      ),
    ],
  ])('is loaded from %s', (_what, files) => {
    const { database } = optionsOf(files, { KIND: 'pg' })
    expect(database).toMatchObject({ client: 'pg', connection: { host: 'here' } })
  })

  const missing = 'the folder config needs database.js or database.json, or database.ts with a tsconfig.json'
  const noFile = { 'config/database.json': null }
  it.each<[string, Files, string]>([
    ['there is no file', noFile, `config: ${missing}`],
    [
      'there is no tsconfig.json',
      databaseIn('config/database.ts', 'export default {}', { 'tsconfig.json': null }),
      `config: ${missing}`,
    ],
    [
      'it is not TypeScript',
      databaseIn('config/database.ts', '\n\nexport default {{'),
      'config/database.ts: the file has a syntax error, line 3',
    ],
    [
      'it is not JavaScript',
      databaseIn('config/database.js', 'const a = 1\nmodule.exports = {{'),
      'config/database.js: the file has a syntax error, line 2',
    ],
    [
      'it is not JSON',
      { 'config/database.json': '{\n"a": {,}}' },
      'config/database.json: the file has a syntax error, line 2',
    ],
    [
      'it has a template of JSON',
      { 'config/database.json': '{ "connection": { "client": "${process.env.KIND}" } }' },
      'config/database.json: the file contains a template, which only Strapi evaluates',
    ],
    [
      'a file that it imports fails',
      databaseIn('config/database.ts', `import './parts'`, { 'config/parts.ts': `\nnone()` }),
      'config/parts.ts: none is not defined, line 2',
    ],
    [
      'a file that it imports is missing',
      databaseIn('config/database.ts', `import { connect } from '../src/connect'\nexport default connect`),
      'src/connect: the file is required, but is missing',
    ],
    [
      'it uses a package that is not installed',
      databaseIn('config/database.ts', `import { connect } from 'vault-of-ours'\n\nexport default connect()`),
      'config/database.ts: vault-of-ours.connect is not available, line 3',
    ],
    [
      'it throws',
      databaseIn('config/database.ts', `export default ({ env }) => { throw new Error(env('SECRET')) }`),
      'config/database.ts: loading the file fails with Error, line 1',
    ],
    [
      'a file of the system is missing',
      databaseIn('config/database.js', `require('fs').readFileSync('/none/ca.pem')`),
      'config/database.js: loading the file fails with ENOENT, line 1',
    ],
    [
      'it ends the process',
      databaseIn('config/database.js', `process.exit(1)`),
      'config/database.js: loading the file fails with Error, line 1',
    ],
    [
      'it names no client',
      { 'config/database.json': '{ "connection": {} }' },
      'config/database.json: connection.client is not a name, but must be mysql, postgres or sqlite',
    ],
    [
      'it names the driver',
      { 'config/database.json': '{ "connection": { "client": "pg" } }' },
      'connection.client is pg, but must be',
    ],
    [
      'a connection string is in the wrong place',
      databaseIn(
        'config/database.js',
        `module.exports = ({ env }) => ({ connection: { client: 'x://' + env('SECRET') } })`,
      ),
      'connection.client is not a name, but must be',
    ],
    [
      'it has no connection',
      { 'config/database.json': '{ "connection": { "client": "mysql" } }' },
      'config/database.json: the file does not set the key connection.connection',
    ],
    [
      'its port is not a number',
      databaseIn(
        'config/database.js',
        `module.exports = ({ env }) => ({ connection: { client: 'mysql', connection: { port: env.int('PORT') } } })`,
        { 'config/env/development/database.json': '{}' },
      ),
      'config/database.js and config/env/development/database.json: connection.connection.port must be a number',
    ],
  ])('is refused without its values where %s', (_what, files, message) => {
    const { root, project } = projectOf(files, { SECRET: 'hushhush', PORT: 'abc' })
    expect(project).toThrow(ConfigError)
    expect(project).toThrow(message)
    expect(project).toThrow('pass the database with strapiProject(folder, { database })')
    expect(project).not.toThrow('hushhush')
    const database = { client: 'pg', connection: 'postgres://db' }
    expect(strapiProject(root, { database, env: {} }).options.database).toBe(database)
  })
})

// packages/core/utils/src/env-helper.ts of Strapi 5.
it.each<[string, string | undefined, unknown]>([
  [`env('X')`, undefined, undefined],
  [`env('X', 'y')`, undefined, 'y'],
  [`env('X', 'y')`, '', ''],
  [`env('X', 'y')`, '5', '5'],
  [`env.int('X', 7)`, undefined, 7],
  [`env.int('X', 7)`, '42 px', 42],
  [`env.int('X', 7)`, '', NaN],
  [`env.float('X')`, '1.5e3', 1500],
  [`env.bool('X', true)`, undefined, true],
  [`env.bool('X', true)`, 'true', true],
  [`env.bool('X', true)`, 'TRUE', false],
  [`env.bool('X', true)`, '1', false],
  [`env.json('X', { a: 1 })`, undefined, { a: 1 }],
  [`env.json('X')`, '{ "a": [1, null] }', { a: [1, null] }],
  [`env.array('X', ['z'])`, undefined, ['z']],
  [`env.array('X')`, 'a, "b" ,c d', ['a', 'b', 'c d']],
  [`env.array('X')`, '["a","b"]', ['a', 'b']],
  [`env.array('X')`, '', ['']],
  [`env.date('X')`, '2020-01-02T03:04:05Z', new Date('2020-01-02T03:04:05Z')],
  [`env.oneOf('X', ['a', 'b'], 'b')`, 'a', 'a'],
  [`env.oneOf('X', ['a', 'b'], 'b')`, 'c', 'b'],
  [`env.oneOf('X', ['a', 'b'])`, 'c', undefined],
])('%s is as in Strapi where X is %j', (call, value, expected) => {
  const text = `export default ({ env }) => ({ connection: { client: 'mysql', connection: { of: [${call}] } } })`
  const { database } = optionsOf(
    databaseIn('config/database.ts', text),
    value === undefined ? {} : { X: value },
  )
  expect(database).toEqual({ client: 'mysql2', connection: { of: [expected] } })
})

it.each([`env.json('X')`, `env.oneOf('X', ['a'], 'b')`])('%s throws, as in Strapi', (call) => {
  const files = databaseIn('config/database.ts', `export default ({ env }) => ({ connection: ${call} })`)
  expect(() => optionsOf(files, { X: '{hushhush' })).toThrow(
    /config\/database\.ts: loading the file fails with \w*Error, line 1/,
  )
  expect(() => optionsOf(files, { X: '{hushhush' })).not.toThrow('hushhush')
})

describe('.env', () => {
  const secretOf = (text: string | null, env: Variables = {}, files: Files = {}): unknown => {
    const { role } = optionsOf({ ...files, '.env': text }, { API_TOKEN_SALT: 'salt', ...env })
    return isStrapiAuth(role) ? role.options : role
  }

  it.each([
    ['ends at a #, wherever it stands', 'JWT_SECRET=a#b', 'a'],
    ['holds a # between quotes', 'JWT_SECRET="a#b" # c', 'a#b'],
    ['may follow a colon', 'JWT_SECRET: yaml', 'yaml'],
    ['has lines written as \\n between double quotes', String.raw`JWT_SECRET="a\nb"`, 'a\nb'],
    ['may have lines between quotes', "JWT_SECRET='a\n  b'", 'a\n  b'],
    ['may be exported', 'export JWT_SECRET = a', 'a'],
    ['is not expanded', 'OTHER=a\nJWT_SECRET=${OTHER}', '${OTHER}'],
  ])('is parsed as in Strapi: a value %s', (_how, text, jwtSecret) => {
    expect(secretOf(text)).toMatchObject({ jwtSecret })
  })

  it('gives way to variables of the process, and to the file that ENV_PATH names', () => {
    const files = { 'config/test.env': 'JWT_SECRET=named' }
    expect(secretOf('JWT_SECRET=a', { JWT_SECRET: 'b' })).toMatchObject({ jwtSecret: 'b' })
    expect(secretOf('JWT_SECRET=a', { ENV_PATH: 'config/test.env' }, files)).toMatchObject({
      jwtSecret: 'named',
    })
    expect(secretOf('JWT_SECRET=a', { ENV_PATH: '' })).toMatchObject({ jwtSecret: 'a' })
    expect(secretOf(null, { JWT_SECRET: 'b', ENV_PATH: 'none.env' })).toMatchObject({ jwtSecret: 'b' })
  })
})

describe('the settings of a project', () => {
  it('are the preset, the folders, and what config says', () => {
    const plugins = `export default ({ env }) => ({
  upload: { config: { provider: 'aws-s3' } },
  'users-permissions': { config: { jwtSecret: env('JWT_SECRET') + '!' } },
})`
    const { root, project } = projectOf({
      'config/api.ts': `import type { Core } from '@strapi/strapi'
const config: Core.Config.Api = {
  rest: { prefix: 'v1/', defaultLimit: 2, maxLimit: '3', withCount: false, strictParams: true },
  responses: { privateAttributes: ['createdAt', '', 5] },
}
export default config`,
      'config/plugins.ts': plugins,
      'config/middlewares.ts': `export default ['strapi::logger', { name: 'strapi::query', config: { arrayLimit: 250 } }]`,
    })
    const read = project()
    expect(read).toMatchObject({
      options: {
        contentTypes: join(root, 'src'),
        database: { client: 'pg', connection: { host: 'here' } },
        pagination: { defaultPageSize: 2, maxPageSize: 3, withCount: false },
        strictParameters: true,
        extensions: [{ defaults: { privateAttributes: ['createdAt'] } }],
        query: { arrayLimit: 250 },
        role: { options: { jwtSecret: 'users!', apiTokenSalt: 'tokens' } },
      },
      prefix: '/v1',
      uploadProvider: 'aws-s3',
      unread: [],
    })
    expect(isFromDatabase(read.options.permissions)).toBe(true)
  })

  it('are those of Strapi where config says nothing', () => {
    const { options, ...more } = projectOf({ 'config/middlewares.json': '["strapi::query"]' }).project()
    expect(options.pagination).toEqual({ defaultPageSize: 25, maxPageSize: Infinity, withCount: true })
    expect([options.strictParameters, privateIn(options), options.query]).toEqual([false, [], undefined])
    expect(more).toEqual({ prefix: '/api', uploadProvider: 'local', unread: [] })
  })

  it('are merged with those of NODE_ENV as lodash does it, lists by position', () => {
    const api = {
      'config/api.ts': `export default { rest: { maxLimit: 50, defaultLimit: 5 }, responses: { privateAttributes: ['a', 'b'] } }`,
      'config/env/production/api.js': `module.exports = { rest: { maxLimit: 200, defaultLimit: undefined }, responses: { privateAttributes: ['c'] } }`,
      'config/env/development/api.json': '{ "rest": { "maxLimit": 9 } }',
    }
    const options = optionsOf(api, { NODE_ENV: 'production' })
    expect(options.pagination).toMatchObject({ defaultPageSize: 5, maxPageSize: 200 })
    expect(privateIn(options)).toEqual(['c', 'b'])
    for (const env of [{}, { NODE_ENV: '' }])
      expect(optionsOf(api, env).pagination).toMatchObject({ defaultPageSize: 5, maxPageSize: 9 })
  })

  it('come neither from TypeScript without a tsconfig.json nor from links, as in Strapi', () => {
    const { root, project } = projectOf({
      ...{ 'tsconfig.json': null, 'config/api.json': null },
      'config/api.ts': 'export default { rest: { defaultLimit: 1 } }',
      'real.json': '{ "rest": { "defaultLimit": 2 } }',
    })
    symlinkSync(join(root, 'real.json'), join(root, 'config/api.json'))
    expect(project().options.pagination).toMatchObject({ defaultPageSize: 25 })
  })

  it('are named where they cannot be read, by file or by place, and then those of the router', () => {
    const { options, prefix, uploadProvider, unread } = projectOf({
      'config/api.ts': `export default { rest: { maxLimit: 'many', prefix: 5 } }`,
      'config/plugins.ts': `import { keys } from 'vault-of-ours'\nexport default { a: keys() }`,
    }).project()
    expect(unread).toEqual([
      'config/api: rest.prefix',
      'config/api: rest.maxLimit',
      'config/plugins.ts: vault-of-ours.keys is not available, line 2',
    ])
    expect(options.pagination).toEqual({ defaultPageSize: 25, withCount: true })
    expect(options).not.toHaveProperty('role')
    expect([prefix, uploadProvider]).toEqual(['/api', null])
  })

  it('say where names of private attributes are unknown', () => {
    const text = `import { names } from 'names-of-ours'\nexport default { responses: { privateAttributes: names } }`
    expect(projectOf({ 'config/api.ts': text }).project().unread).toEqual([
      'config/api: responses.privateAttributes',
    ])
  })
})

describe('loading a project', () => {
  it('leaves the process as it was', async () => {
    const text = `const path = require('path')
console.log('config says hello')
process.env.LEFT = 'behind'
require(${JSON.stringify(require.resolve('dotenv'))}).config({ path: path.join(process.cwd(), 'more.env') })
module.exports = { connection: { client: 'sqlite', connection: { filename: process.env.MORE + process.env.GIVEN } } }`
    const { root } = projectOf(databaseIn('config/database.js', text, { 'more.env': 'MORE=more' }))
    const script = `
      const { strapiProject } = require('./extensions/strapi')
      const isLoaded = (name) => Object.keys(require.cache).some((path) => path.includes('/' + name + '/'))
      const before = [{ ...process.env }, isLoaded('jiti'), isLoaded('dotenv')]
      const { options } = strapiProject(${JSON.stringify(root)}, { env: { GIVEN: '.db' } })
      const after = [{ ...process.env }, isLoaded('jiti'), isLoaded('dotenv')]
      process.stdout.write(JSON.stringify({ before, after, cwd: process.cwd(), file: options.database.connection }))`
    const words = ['--require', './lab/bench/typescript.cjs', '--eval', script]
    const { stdout, stderr } = await promisify(execFile)(process.execPath, words, { cwd: repository })
    const { before, after, cwd, file } = JSON.parse(stdout) as Record<string, unknown[]>
    expect(stderr).toContain('config says hello')
    expect(file).toEqual({ filename: join(root, 'more.db') })
    expect(cwd).toBe(repository)
    expect(after?.[0]).toEqual(before?.[0])
    // JavaScript needs no compiler, and a process without a project needs neither of them.
    expect([before?.slice(1), after?.slice(1)]).toEqual([
      [false, false],
      [false, true],
    ])
  }, 60_000)
})
