import type { Knex } from 'knex'
import express from 'express'
import { execFile } from 'node:child_process'
import { cpSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import request from 'supertest'
import { contentRouter, strapiProject } from '../../../lib'
import { onSqlite } from '../../support/databases'
import { projectFolder } from '../../support/project-folder'
import { recordingOf } from '../../support/recordings'

const run = promisify(execFile)

const databaseOf = (up: string): string => `
  const connections${up === '' ? '' : ": Record<string, Core.Config.Database['connection']>"} = {
    mysql: {
      client: 'mysql',
      connection: {
        host: env('DATABASE_HOST', 'localhost'),
        port: env.int('DATABASE_PORT', 3306),
        database: env('DATABASE_NAME', 'site'),
        user: env('DATABASE_USERNAME', 'site'),
        password: env('DATABASE_PASSWORD', 'site'),
        ssl: env.bool('DATABASE_SSL', false) && { ca: env('DATABASE_SSL_CA', undefined) },
      },
      pool: { min: env.int('DATABASE_POOL_MIN', 2), max: env.int('DATABASE_POOL_MAX', 10) },
    },
    postgres: {
      client: 'postgres',
      connection: {
        connectionString: env('DATABASE_URL'),
        host: env('DATABASE_HOST', 'localhost'),
        port: env.int('DATABASE_PORT', 5432),
        database: env('DATABASE_NAME', 'site'),
        user: env('DATABASE_USERNAME', 'site'),
        password: env('DATABASE_PASSWORD', 'site'),
        ssl: env.bool('DATABASE_SSL', false) && { rejectUnauthorized: env.bool('DATABASE_SSL_STRICT', true) },
        schema: env('DATABASE_SCHEMA', 'public'),
      },
      pool: { min: env.int('DATABASE_POOL_MIN', 2), max: env.int('DATABASE_POOL_MAX', 10) },
    },
    sqlite: {
      client: 'sqlite',
      connection: { filename: path.join(__dirname, '..', ${up}env('DATABASE_FILENAME', '.tmp/data.db')) },
      useNullAsDefault: true,
    },
  };

  return {
    connection: { ...connections[client], acquireConnectionTimeout: env.int('DATABASE_TIMEOUT', 60000) },
  };
`

const inTypeScript = `import path from 'path';
import type { Core } from '@strapi/strapi';

const config = ({ env }: Core.Config.Shared.ConfigParams): Core.Config.Database => {
  const client = env.oneOf('DATABASE_CLIENT', ['sqlite', 'mysql', 'postgres'], 'sqlite');
${databaseOf("'..', ")}};

export default config;
`

const inJavaScript = `'use strict'

const path = require('path');

module.exports = ({ env }) => {
  const client = env('DATABASE_CLIENT', 'sqlite');
${databaseOf('')}};
`

const api = `import type { Core } from '@strapi/strapi';
const config: Core.Config.Api = {
  rest: { defaultLimit: 2, maxLimit: 3, withCount: true },
};
export default config;
`

let made = 0
const { path, write } = projectFolder()

/** A project with these files, read in an environment that has nothing but these variables. */
function read(files: Readonly<Record<string, string | null>>, env: Readonly<Record<string, string>> = {}) {
  const name = `project-${String((made += 1))}`
  const all: Readonly<Record<string, string | null>> = {
    'tsconfig.json': '{}',
    'config/database.ts': inTypeScript,
    'config/api.ts': api,
    'config/plugins.ts': 'export default {}',
    ...files,
  }
  const there = Object.entries(all).flatMap(([file, text]): [string, string][] =>
    text === null ? [] : [[`${name}/${file}`, text]],
  )
  write(Object.fromEntries(there))
  const root = join(path, name)
  return { root, project: () => strapiProject(root, { env }) }
}

const secrets = '# Secrets\nJWT_SECRET="users"\nAPI_TOKEN_SALT=tokens== # salt\n'

describe('strapiProject', () => {
  it('reads what create-strapi-app writes in TypeScript, where paths are those of compiled files', () => {
    const { root, project } = read({
      '.env': secrets,
      'tsconfig.json': '{}',
      'config/admin.ts': `export default ({ env }) => ({ apiToken: { salt: env('API_TOKEN_SALT') } })`,
    })
    expect(project()).toMatchObject({
      options: {
        definitions: 'strapi',
        contentTypes: join(root, 'src'),
        database: {
          client: 'better-sqlite3',
          connection: { filename: join(root, '.tmp', 'data.db') },
          acquireConnectionTimeout: 60_000,
        },
        pagination: { defaultPageSize: 2, maxPageSize: 3, withCount: true },
        role: { source: 'strapi', jwtSecret: 'users', apiTokenSalt: 'tokens==' },
        permissions: { source: 'database' },
      },
      prefix: '/api',
      uploadProvider: 'local',
      unread: [],
    })
  })

  it('reads the same in JavaScript, where files are run from where they lie', () => {
    const { root, project } = read({
      'tsconfig.json': null,
      'config/database.ts': null,
      'config/database.js': inJavaScript,
    })
    expect(project().options.database).toMatchObject({
      client: 'better-sqlite3',
      connection: { filename: join(root, '.tmp', 'data.db') },
    })
  })

  it.each([
    [
      'mysql',
      {
        client: 'mysql2',
        connection: { host: 'db', port: 3306, database: 'site', user: 'me', password: 'a#b', ssl: false },
      },
    ],
    [
      'postgres',
      {
        client: 'pg',
        searchPath: ['blog'],
        connection: { host: 'db', port: 5432, database: 'site', user: 'me', password: 'a#b', ssl: false },
      },
    ],
  ])('reads the connection of %s from .env and from what the process has, which wins', (client, expected) => {
    const written = `DATABASE_CLIENT=${client}\nDATABASE_HOST=other\nexport DATABASE_USERNAME = me\nDATABASE_PASSWORD='a#b'\nDATABASE_SCHEMA=blog\n`
    const { project } = read({ '.env': written }, { DATABASE_HOST: 'db' })
    const { database } = project().options
    expect(database).toEqual({ ...expected, pool: { min: 2, max: 10 }, acquireConnectionTimeout: 60_000 })
  })

  it.each([
    ['ends at a #, wherever it stands', 'JWT_SECRET=a#b', 'a'],
    ['holds a # between quotes', 'JWT_SECRET="a#b" # c', 'a#b'],
    ['may follow a colon', 'JWT_SECRET: yaml', 'yaml'],
    ['keeps the backslash of a quote', String.raw`JWT_SECRET="a\"b"`, String.raw`a\"b`],
    ['has lines written as \\n between double quotes', String.raw`JWT_SECRET="a\nb"`, 'a\nb'],
    ['has none between single ones', String.raw`JWT_SECRET='a\nb'`, String.raw`a\nb`],
    ['may have lines between quotes', "JWT_SECRET='a\n  b'", 'a\n  b'],
    ['has the same lines in a file of Windows', 'JWT_SECRET=`a\r\nb`\r\n', 'a\nb'],
    ['may be the first behind a byte order mark', '\uFEFFJWT_SECRET=a', 'a'],
    ['may be exported', 'export JWT_SECRET = a', 'a'],
    ['begins with a quote that nothing closes', 'JWT_SECRET="a', '"a'],
    ['is the last that is written', 'JWT_SECRET=a\rJWT_SECRET=b', 'b'],
    ['is told of no other', 'OTHER=a\nJWT_SECRET=${OTHER}', '${OTHER}'],
  ])('reads a value of .env as Strapi: it %s', (_how, written, jwtSecret) => {
    const { project } = read({ '.env': written }, { API_TOKEN_SALT: 'salt' })
    expect(project().options.role).toMatchObject({ jwtSecret })
  })

  it.each([
    ['a file in the project', 'config/test.env'],
    ['.env, where it is empty', ''],
  ])('reads ENV_PATH as Strapi, which is started in the project: %s', (_what, ENV_PATH) => {
    const files = { 'config/test.env': 'JWT_SECRET=a', '.env': 'JWT_SECRET=b' }
    const { project } = read(files, { API_TOKEN_SALT: 'salt', ENV_PATH })
    expect(project().options.role).toMatchObject({ jwtSecret: ENV_PATH === '' ? 'b' : 'a' })
  })

  it('goes on without a file of variables that cannot be read, as Strapi', () => {
    const { project } = read(
      { 'config/x.env/none': '' },
      { ENV_PATH: 'config/x.env', JWT_SECRET: 'a', API_TOKEN_SALT: 'b' },
    )
    expect(project().options.role).toMatchObject({ jwtSecret: 'a' })
  })

  it.each<[string, object, string]>([
    [
      'no limits, as Strapi does without any',
      { defaultPageSize: 25, maxPageSize: Infinity, withCount: true },
      'export default {}',
    ],
    [
      'numbers that are texts, and no count',
      { defaultPageSize: 900, maxPageSize: 3000, withCount: false },
      `module.exports = ({ env }) => ({ rest: { defaultLimit: env('NONE', '900'), maxLimit: 3 * 1000, withCount: false } })`,
    ],
    [
      'a function that has a name and types, beside an expression that looks like much else',
      { defaultPageSize: 7, maxPageSize: 70, withCount: true },
      `import type { Core } from '@strapi/strapi'
const local = /^https?:\\/\\/(localhost|\`)[^/'"]*$/
const times = <T extends number>(one: T, other: number): number => one * other
export default function api({ env }: Core.Config.Shared.ConfigParams): Core.Config.Api {
  return { rest: { defaultLimit: env.int('NONE', 7)!, maxLimit: times<7>(7, 10) } satisfies Core.Config.Api['rest'] }
}`,
    ],
  ])('reads the pages of config/api as they are written: %s', (_what, pagination, text) => {
    expect(read({ 'config/api.ts': text }).project().options.pagination).toEqual(pagination)
  })

  it.each([
    ['true', true],
    [`env.bool('NONE', true)`, true],
    ['false', false],
  ])('refuses unknown parameters where config/api does: strictParams: %s', (written, isStrict) => {
    const text = `export default ({ env }) => ({ rest: { strictParams: ${written} } })`
    expect(read({ 'config/api.ts': text }).project().options.strictParameters).toBe(isStrict)
  })

  describe('a condition with a way that returns', () => {
    const database = `export default ({ env }) => {
  const url = env('DATABASE_URL')
  if (url) {
    const connection = { connectionString: url }
    return { connection: { client: 'postgres', connection } }
  }
  return { connection: { client: 'mysql', connection: { host: env('HOST', 'localhost') } } }
}`
    const told = (text: string, env: Readonly<Record<string, string>>): unknown => {
      const { client, connection } = read({ 'config/database.ts': text }, env).project().options
        .database as Knex.Config
      return [client, connection]
    }

    it('is taken where it holds, and passed over where it does not', () => {
      const url = 'postgres://db.example/site'
      expect(told(database, { DATABASE_URL: url })).toMatchObject(['pg', { connectionString: url }])
      expect(told(database, {})).toMatchObject(['mysql2', { host: 'localhost' }])
    })

    it('goes on behind one that comes back', () => {
      const way = "return { connection: { client: 'postgres', connection } }"
      const expected = ['mysql2', { host: 'localhost' }]
      const url = { DATABASE_URL: 'postgres://db' }
      expect(told(database.replace(way, ''), url)).toMatchObject(expected)
      expect(told(database.replace(way, `if (false) ${way}`), url)).toMatchObject(expected)
    })

    it.each([
      ['one that is not known', database.replace('if (url)', 'if (Math.random() > 2)')],
      ['one that assigns', database.replace('const connection =', 'env.host =')],
    ])('is not guessed at: %s', (_what, text) => {
      expect(() => told(text, { DATABASE_URL: 'postgres://db' })).toThrow('is told by running it alone')
    })
  })

  it('reads the prefix, JSON and what NODE_ENV lays over it', () => {
    const files = {
      'config/api.ts': 'export default { rest: { prefix: "v1/", maxLimit: 50, defaultLimit: 5 } }',
      'config/env/production/api.json': '{ "rest": { "maxLimit": 200 } }',
      'config/plugins.ts': `export default ({ env }) => ({ upload: { config: { provider: 'aws-s3', providerOptions: make() } } })`,
    }
    const { prefix, uploadProvider, options } = read(files, { NODE_ENV: 'production' }).project()
    expect(prefix).toBe('/v1')
    expect(uploadProvider).toBe('aws-s3')
    expect(options.pagination).toMatchObject({ defaultPageSize: 5, maxPageSize: 200 })
  })

  it('names what cannot be told, runs nothing, and leaves ours in its place', () => {
    const files = {
      'config/api.ts': `import { most } from '../src/limits'
export default { rest: { defaultLimit: 10, maxLimit: most, prefix: (() => { throw new Error('run') })() } }`,
      'config/plugins.ts': `throw new Error('run')`,
    }
    const { options, prefix, uploadProvider, unread } = read(files, {
      JWT_SECRET: 'a',
      API_TOKEN_SALT: 'b',
    }).project()
    expect(unread).toEqual([
      'config/api: rest.maxLimit',
      'config/plugins: users-permissions.config.jwtSecret',
      'config/api: rest.prefix',
      'config/plugins: upload.config.provider',
    ])
    expect(options.pagination).toEqual({ defaultPageSize: 10, withCount: true })
    expect(options).not.toHaveProperty('role')
    expect([prefix, uploadProvider]).toEqual(['/api', null])
  })

  it('takes a text that is no JavaScript for one that cannot be told, however deep it goes', () => {
    const texts = [
      'export default {{',
      `export default ${'['.repeat(100_000)}`,
      `export default ${'!'.repeat(100_000)}0`,
    ]
    for (const text of texts) expect(read({ 'config/plugins.ts': text }).project().uploadProvider).toBeNull()
  })

  it('takes a text of more than 1 MB for one that cannot be told, without parsing it', () => {
    const long = `// ${'x'.repeat(1_000_000)}\nexport default { rest: { withCount: false } }`
    const { options, unread } = read({ '.env': secrets, 'config/api.ts': long }).project()
    expect(options.pagination).toEqual({})
    expect(unread).toContain('config/api: rest.withCount')
    expect(unread).toContain('config/api: rest.strictParams')
  })

  const grown = (levels: number, next: (name: string) => string): string =>
    [
      `const a0 = { x: 'y' }`,
      ...Array.from({ length: levels }, (_, at) => `const a${String(at + 1)} = ${next(`a${String(at)}`)}`),
    ].join('\n')

  it('takes a text of more steps than a person writes for one that cannot be told', () => {
    const api = `${grown(40, (name) => `[...[${name}, ${name}], ...[${name}, ${name}]]`)}
const b0 = [1]
${Array.from({ length: 40 }, (_, at) => `const b${String(at + 1)} = [...b${String(at)}, ...b${String(at)}]`).join('\n')}
export default { rest: { defaultLimit: 3 } }`
    const { options, unread } = read({ '.env': secrets, 'config/api.ts': api }).project()
    expect(options.pagination).toEqual({})
    expect(unread).toContain('config/api: rest.defaultLimit')
  })

  it('takes what two files lay over each other in too many steps for what cannot be told', () => {
    const api = `${grown(40, (name) => `{ x: ${name}, y: ${name} }`)}
export default { rest: { defaultLimit: 3 }, a: a40 }`
    const { options, unread } = read(
      { '.env': secrets, 'config/api.ts': api, 'config/env/production/api.ts': api },
      { NODE_ENV: 'production' },
    ).project()
    expect(options.pagination).toEqual({})
    expect(unread).toContain('config/api: rest.defaultLimit')
  })

  it.each([
    ['wide', 40, (name: string) => `{ x: ${name}, y: ${name} }`],
    ['deep', 20_000, (name: string) => `{ x: ${name} }`],
  ])('refuses a connection that is too %s to be told', (_how, levels, next) => {
    const text = `${grown(levels, next)}
module.exports = { connection: { client: 'postgres', connection: { ssl: a${String(levels)} }, pool: a${String(levels)} } }`
    const { root, project } = read({ 'config/database.ts': text })
    expect(project).toThrow('config/database.ts: connection.connection is told by running it alone')
    const database = { client: 'pg', connection: 'postgres://db' }
    expect(strapiProject(root, { database, env: {} }).options.database).toBe(database)
  })

  it('loads a parser where a project is read, and never before', async () => {
    const { root } = read({})
    const asked = `
      const { strapiProject } = require('./lib')
      const isLoaded = () => Object.keys(require.cache).some((path) => path.includes('@babel'))
      const before = isLoaded()
      strapiProject(${JSON.stringify(root)}, { env: {} })
      process.stdout.write(JSON.stringify([before, isLoaded()]))`
    const given = ['--require', './bench/typescript.cjs', '--eval', asked]
    const { stdout } = await run(process.execPath, given, { cwd: join(__dirname, '..', '..', '..') })
    expect(JSON.parse(stdout)).toEqual([false, true])
  }, 60_000)

  it.each<[string, readonly string[], readonly string[], string]>([
    ['all names', ['createdAt', 'legacyId'], [], `['createdAt', 'legacyId']`],
    ['none where nothing is said', [], [], 'undefined'],
    ['none of what Strapi passes over', [], [], `'createdAt'`],
    [
      'those that are told, and that there are others',
      ['legacyId'],
      ['config/api: responses.privateAttributes'],
      `['legacyId', secretName()]`,
    ],
    ['that there may be some', [], ['config/api: responses.privateAttributes'], 'namesOf(here)'],
  ])('reads what the project hides in all types: %s', (_, names, untold, written) => {
    const text = `export default { rest: {}, responses: { privateAttributes: ${written} } }`
    const { options, unread } = read({ '.env': secrets, 'config/api.ts': text }).project()
    expect([options.privateAttributes, unread]).toEqual([names, untold])
  })

  it('reads no TypeScript where nothing compiles it, as Strapi', () => {
    const files = {
      'tsconfig.json': null,
      'config/database.js': inJavaScript,
      'config/api.js': 'module.exports = { rest: { defaultLimit: 4 } }',
    }
    const { options } = read(files).project()
    expect(options.pagination).toMatchObject({ defaultPageSize: 4, maxPageSize: Infinity })
  })

  it('takes an empty NODE_ENV for development', () => {
    const files = { 'config/env/development/api.ts': 'export default { rest: { defaultLimit: 1 } }' }
    const { options } = read(files, { NODE_ENV: '' }).project()
    expect(options.pagination).toMatchObject({ defaultPageSize: 1 })
  })

  it('passes over folders and links that are named like files of config, as Strapi', () => {
    const { root, project } = read({
      'config/api.ts': null,
      'config/api.js/none': '',
      'real.json': '{ "rest": { "defaultLimit": 4 } }',
    })
    symlinkSync(join(root, 'real.json'), join(root, 'config/api.json'))
    expect(project().options.pagination).toEqual({
      defaultPageSize: 25,
      maxPageSize: Infinity,
      withCount: true,
    })
  })

  it('names what code that is not understood may have changed', () => {
    const text = `const names = ['a']
const rest = { defaultLimit: 3 }
const count = names.push('b')
const done = require('./limits')(rest)
export default { rest, responses: { privateAttributes: names } }`
    const { options, unread } = read({ '.env': secrets, 'config/api.ts': text }).project()
    expect(options.pagination).toEqual({})
    expect(unread).toContain('config/api: rest.defaultLimit')
    expect(unread).toContain('config/api: responses.privateAttributes')
  })

  it('knows nothing of what a file of NODE_ENV that is spread from elsewhere may lay over', () => {
    const files = {
      'config/api.ts': 'export default { rest: { defaultLimit: 3 } }',
      'config/env/production/api.ts': `export default { rest: { ...require('./limits'), withCount: false } }`,
    }
    const { options, unread } = read({ '.env': secrets, ...files }, { NODE_ENV: 'production' }).project()
    expect(options.pagination).toEqual({ withCount: false })
    expect(unread).toContain('config/api: rest.defaultLimit')
  })

  it('lays lists of NODE_ENV over others place by place, as lodash does', () => {
    const hiding = (names: string): string => `export default { responses: { privateAttributes: ${names} } }`
    const laid = (over: string): unknown => {
      const files = {
        'config/api.ts': hiding(`['createdAt', 'legacyId']`),
        'config/env/production/api.ts': hiding(over),
      }
      return read({ '.env': secrets, ...files }, { NODE_ENV: 'production' }).project().options
        .privateAttributes
    }
    expect(laid(`['updatedAt']`)).toEqual(['updatedAt', 'legacyId'])
    expect(laid('[]')).toEqual(['createdAt', 'legacyId'])
    expect(laid(`['a', 'b', 'c']`)).toEqual(['a', 'b', 'c'])
  })

  it('refuses a database that cannot be told by its places, never its values, unless it is handed over', () => {
    const text = `const ca = require('fs').readFileSync('ca.pem')
module.exports = { connection: { client: 'postgres', connection: { password: 'hushhush', ssl: { ca } } } }`
    const { root, project } = read({ 'config/database.ts': text })
    expect(project).toThrow('config/database.ts: connection.connection.ssl.ca is told by running it alone')
    expect(project).not.toThrow('hushhush')
    const database = { client: 'pg', connection: 'postgres://db' }
    expect(strapiProject(root, { database, env: {} }).options.database).toBe(database)
  })
})

onSqlite((database) => {
  const world = database.restored()

  it('serves a project by one call, at its prefix and within its limits', async () => {
    const { client, connection } = world.config
    const at = connection as Readonly<Record<string, string | number>>
    const strapis: Readonly<Record<string, string>> = {
      pg: 'postgres',
      mysql2: 'mysql',
      'better-sqlite3': 'sqlite',
    }
    const variables = {
      DATABASE_CLIENT: strapis[String(client)],
      DATABASE_HOST: at['host'],
      DATABASE_PORT: at['port'],
      DATABASE_NAME: at['database'],
      DATABASE_USERNAME: at['user'],
      DATABASE_PASSWORD: at['password'],
    }
    const lines = Object.entries(variables).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}="${String(value)}"`],
    )
    const inFile = client === 'better-sqlite3'
    const file = `export default { connection: { client: 'sqlite', connection: { filename: '${String(at['filename'])}' } } }`
    const { root, project } = read({
      '.env': `${secrets}${lines.join('\n')}\n`,
      ...(inFile ? { 'config/database.ts': file } : {}),
    })
    cpSync(recordingOf('sqlite').contentTypes, join(root, 'src'), { recursive: true })

    const { options, prefix } = project()
    const content = world.closing(contentRouter(options))
    const app = express().use(prefix, content)
    await content.ready()
    const answer = await request(app).get('/api/articles?pagination[pageSize]=100').expect(200)
    const { data, meta } = answer.body as {
      readonly data: unknown[]
      readonly meta: { readonly pagination: object }
    }
    expect(data).toHaveLength(3)
    expect(meta.pagination).toMatchObject({ pageSize: 3 })
    await request(app).get('/api/tags').expect(403)
  })
})
