import { join } from 'node:path'
import { strapiProject } from '../../../lib'
import { projectFolder } from '../../support/project-folder'

const { path, write } = projectFolder()
let made = 0

type Files = Readonly<Record<string, string>>

/** The database of a project with these files, in an environment that has nothing but these variables. */
function databaseOf(
  files: Files,
  env: Files = {},
): { readonly root: string; readonly database: () => unknown } {
  const name = `forms-${String((made += 1))}`
  const isCompiled = Object.keys(files).some((file) => file.endsWith('.ts'))
  const all: Files = isCompiled ? { 'tsconfig.json': '{}', ...files } : files
  write(Object.fromEntries(Object.entries(all).map(([file, text]) => [`${name}/${file}`, text])))
  const root = join(path, name)
  return { root, database: () => strapiProject(root, { env }).options.database }
}

const parts = (up: string): string => `
  const kinds = {
    mysql: { client: 'mysql', connection: { host: env('DATABASE_HOST', 'here'), port: env.int('DATABASE_PORT', 3306) } },
    postgres: {
      client: 'postgres',
      connection: {
        host: env('DATABASE_HOST', 'here'),
        ssl: env.bool('DATABASE_SSL', false) && { ca: env('DATABASE_CA', undefined) },
        schema: env('DATABASE_SCHEMA', 'public'),
      },
    },
    sqlite: { client: 'sqlite', connection: { filename: path.join(__dirname, ${up}env('DATABASE_FILENAME', 'own.db')) } },
  };
  return { connection: { ...kinds[client], acquireConnectionTimeout: env.int('DATABASE_WAIT', 70) } };
`

const guard = `
  const client = env('DATABASE_CLIENT', 'sqlite');
  if (!isDatabaseClientKind(client)) {
    throw new Error(\`No such database: \${client}.\`);
  }
`

const today: readonly (readonly [string, Files])[] = [
  [
    'TypeScript',
    {
      'config/database.ts': `import path from 'path';
import type { Core } from '@strapi/strapi';
import { isDatabaseClientKind } from '@strapi/database';

const config = ({ env }: Core.Config.Shared.ConfigParams): Core.Config.Database => {${guard}
${parts("'..', '..', ").replace('kinds =', "kinds: Record<Core.Config.Database.ClientKind, Core.Config.Database['connection']> =")}};

export default config;`,
    },
  ],
  [
    'JavaScript',
    {
      'config/database.js': `/** @import { Core } from '@strapi/strapi' */
const path = require('path');
const { isDatabaseClientKind } = require('@strapi/database');

module.exports = ({ env }) => {${guard}
  /** @type {Record<Core.Config.Database.ClientKind, Core.Config.Database['connection']>} */
${parts("'..', ")}};`,
    },
  ],
]

describe.each(today)(
  'what create-strapi writes today in %s, where a client it does not know is thrown',
  (_, files) => {
    it.each([
      ['sqlite', {}, 'better-sqlite3'],
      ['mysql', { DATABASE_CLIENT: 'mysql' }, 'mysql2'],
      ['postgres', { DATABASE_CLIENT: 'postgres', DATABASE_SSL: 'true', DATABASE_CA: 'ca' }, 'pg'],
    ])('is read for %s', (kind, env, client) => {
      const { root, database } = databaseOf(files, env)
      const connection = {
        sqlite: { filename: join(root, 'own.db') },
        mysql: { host: 'here', port: 3306 },
        postgres: { host: 'here', ssl: { ca: 'ca' } },
      }[kind]
      expect(database()).toMatchObject({ client, connection, acquireConnectionTimeout: 70 })
    })

    it('is refused for one that Strapi does not know', () => {
      const { database } = databaseOf(files, { DATABASE_CLIENT: 'oracle' })
      expect(database).toThrow('connection.client')
    })
  },
)

const toPostgres = `client: 'postgres', connection: { host: 'here' }`

/** Each comes to PostgreSQL on `here`. */
const read: readonly (readonly [string, string])[] = [
  [
    'a switch that throws by default',
    `export default ({ env }) => {
  switch (env('KIND')) {
    case 'other': return { connection: { client: 'mysql', connection: { host: 'other' } } }
    case 'mine':
    case 'pg': return { connection: { ${toPostgres} } }
    default: throw new Error('no such kind')
  }
}`,
  ],
  [
    'a switch that fills a variable',
    `export default ({ env }) => {
  let connection
  switch (env('KIND')) {
    case 'other':
      connection = { client: 'mysql', connection: { host: 'other' } }
      break
    case 'pg': {
      connection = { ${toPostgres} }
      break
    }
    default:
      throw new Error('no such kind')
  }
  return { connection }
}`,
  ],
  [
    'a variable that a condition changes',
    `export default ({ env }) => {
  let host = 'there'
  if (env('KIND') === 'pg') host = 'here'
  else host = 'nowhere'
  return { connection: { client: 'postgres', connection: { host } } }
}`,
  ],
  [
    'returns one within another, and one behind',
    `export default ({ env }) => {
  if (env('KIND')) {
    if (env('KIND') === 'other') return { connection: { client: 'mysql', connection: {} } }
  }
  return { connection: { ${toPostgres} } }
}`,
  ],
  [
    'a condition of which nothing is known, and which throws otherwise',
    `import { isFine } from 'elsewhere'
export default () => {
  if (isFine()) {
    return { connection: { ${toPostgres} } }
  } else {
    console.error('not fine')
    throw new Error('not fine')
  }
}`,
  ],
  [
    'one that throws without braces, before and within a function of the file',
    `import { isFine } from 'elsewhere'
if (!isFine()) throw new Error('not fine')
function checked(kind: string): string {
  if (!isFine(kind)) throw new TypeError(kind)
  return kind
}
export default ({ env }) => {
  console.log('reading the database for', env('KIND'))
  return { connection: { client: checked('postgres'), connection: { host: 'here' } } }
}`,
  ],
  [
    'enums, what satisfies a type, and what is taken for one',
    `enum Kind { Postgres = 'postgres', Mysql = 'mysql' }
const enum Port { First = 5432, Second }
const hosts = { [Kind.Postgres]: 'here', [Port.Second]: 'second', First: Port[5432] } as const
export default (() => ({
  connection: {
    client: (Kind.Postgres as string)!,
    connection: { host: hosts[Kind.Postgres], port: Port.Second, user: hosts[5433], database: hosts.First },
  } satisfies Core.Config.Database['connection'],
})) satisfies unknown`,
  ],
  [
    '?. and ?? and templates',
    `const given = { here: { name: 'he' } }
export default ({ env }) => ({
  connection: {
    client: given.there?.name.first ?? given.there?.find() ?? \`post\${'gres'}\`,
    connection: { host: \`\${given?.here?.name}re\`, ssl: process.env.NONE?.length ?? false },
  },
})`,
  ],
  [
    'defaults of what is taken apart',
    `const { kind = 'postgres', host = 'there' } = { host: 'here' }
const both = (one: string, client = kind) => ({ client, connection: { host: one } })
export default { connection: both(host) }`,
  ],
  ['export =', `const connection = { ${toPostgres} }\nexport = { connection }`],
  [
    'a name that is exported as default',
    `const config = { connection: { ${toPostgres} } }\nexport { config as default }`,
  ],
  [
    'what it exports besides',
    `export const host = 'here'
export enum Kind { Mine = 'postgres' }
export default { connection: { client: Kind.Mine, connection: { host } } }`,
  ],
  [
    'a wrapper of Strapi that hands back what it is given',
    `import { factories } from '@strapi/strapi'
export default factories.defineDatabaseConfig(() => ({ connection: { ${toPostgres} } }))`,
  ],
]

describe('the configuration of a database', () => {
  it.each(read)('is read through %s', (_what, text) => {
    const { database } = databaseOf({ 'config/database.ts': text }, { KIND: 'pg' })
    expect(database()).toMatchObject({ client: 'pg', connection: { host: 'here' } })
  })

  it('is read through files beside it, by each way to import', () => {
    const files = {
      'config/database.ts': `import client, { host as named } from './parts/names'
import * as all from '../shared/all.js'
import json from './parts/more.json'
const common = require('./common')
export default { connection: { client, connection: { host: named + all.end + json.end + common.end } } }`,
      'config/parts/names.ts': `export const host = 'h'\nexport default 'postgres'`,
      'shared/all.ts': `const end = 'e'\nexport { end }`,
      'config/parts/more.json': '{ "end": "r" }',
      'config/common/index.js': `module.exports = { end: require('./more').end }`,
      'config/common/more.js': `const end = 'e'\nmodule.exports = { end }`,
    }
    expect(databaseOf(files).database()).toMatchObject({ client: 'pg', connection: { host: 'here' } })
  })

  it('knows the numbers of an enum, and the names that they lead to', () => {
    const text = `enum Port { First = 5432, Second }
export default { connection: { client: 'postgres', connection: { port: Port.Second, user: Port[5432] } } }`
    const { database } = databaseOf({ 'config/database.ts': text })
    expect(database()).toMatchObject({ connection: { port: 5433, user: 'First' } })
  })
})

const at = (place: string): string => `config/database.ts: ${place} is told by running it alone`
const host = 'connection.connection.host'

/** What may be another value is no value, and is named by its own place. */
const untold: readonly (readonly [string, string, string, Files?])[] = [
  [
    'a variable that may be changed',
    host,
    `let host = 'here'
if (Math.random() > 2) { host = 'there' }
export default { connection: { client: 'postgres', connection: { host, port: 1 } } }`,
  ],
  [
    'a variable that one of several ways changes',
    host,
    `let host = 'here'
switch (Math.random()) { case 1: host = 'there'; break; default: throw new Error('none') }
export default { connection: { client: 'postgres', connection: { host, port: 1 } } }`,
  ],
  [
    'one of two values',
    host,
    `export default { connection: { client: 'postgres', connection: { host: Math.random() > 2 ? 'here' : 'there' } } }`,
  ],
  [
    'a member of which the name is not known',
    host,
    `const hosts = { a: 'here' }
export default { connection: { client: 'postgres', connection: { host: hosts[Math.random()] } } }`,
  ],
  [
    'a file that is not there',
    host,
    `import { host } from './nowhere'\nexport default { connection: { client: 'postgres', connection: { host } } }`,
  ],
  [
    'one of two files',
    host,
    `import { host } from './hosts'\nexport default { connection: { client: 'postgres', connection: { host } } }`,
    { 'config/hosts.ts': `export const host = 'here'`, 'config/hosts.js': `exports.host = 'there'` },
  ],
  [
    'a file outside of the project',
    host,
    `import { host } from '../../outside'\nexport default { connection: { client: 'postgres', connection: { host } } }`,
    { '../outside.ts': `export const host = 'here'` },
  ],
  [
    'files that lead in a circle',
    host,
    `import { host } from './one'\nexport default { connection: { client: 'postgres', connection: { host } } }`,
    {
      'config/one.ts': `import { other } from './two'\nexport const host = other`,
      'config/two.ts': `import { host } from './one'\nexport const other = host`,
    },
  ],
  [
    'a return that may come before',
    'connection',
    `export default () => {
  if (Math.random() > 2) return { connection: { client: 'mysql', connection: {} } }
  return { connection: { ${toPostgres} } }
}`,
  ],
  [
    'a way out that may be taken',
    'connection',
    `export default ({ env }) => {
  let host = 'here'
  switch (env('KIND')) {
    case 'pg':
      if (Math.random() > 2) break
      host = 'there'
  }
  return { connection: { client: 'postgres', connection: { host } } }
}`,
  ],
  [
    'a variable that a function gives another value',
    'connection',
    `let host = 'here'
const change = () => { host = 'there' }
const done = change()
export default { connection: { client: 'postgres', connection: { host } } }`,
  ],
  [
    'a variable that a function sees when it has another value',
    'connection',
    `let host = 'there'
const look = () => host
host = 'here'
export default { connection: { client: 'postgres', connection: { host: look() } } }`,
  ],
  [
    'a call for what it changes',
    'connection',
    `import { change } from 'elsewhere'
const connection = { ${toPostgres} }
change(connection)
export default { connection }`,
  ],
  [
    'members that a condition changes',
    'connection',
    `const connection = { ${toPostgres} }
if (Math.random() > 2) connection.client = 'mysql'
export default { connection }`,
  ],
  [
    'a throw that is reached',
    'connection',
    `throw new Error('never')\nexport default { connection: { ${toPostgres} } }`,
  ],
]

const untoldRows = untold.map(([what, place, text, files = {}]): [string, string, string, Files] => [
  what,
  place,
  text,
  files,
])

describe('what may be another value in the configuration of a database', () => {
  it.each(untoldRows)('is named by its own place: %s', (_what, place, text, files) => {
    const { database } = databaseOf({ 'config/database.ts': text, ...files }, { KIND: 'pg' })
    expect(database).toThrow(at(place))
    if (place === host) expect(database).not.toThrow('connection.client')
  })
})
