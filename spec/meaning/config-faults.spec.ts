// What a newcomer writes first, and what he is told.
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import {
  ConfigError,
  contentRouter,
  type ContentRouterConfig,
  fromDatabase,
  migrate,
  seed,
  strapiAuth,
  strapiProject,
} from '../../lib'
import { library } from '../support/library'

const run = promisify(execFile)
const root = join(__dirname, '..', '..')
const memory = { client: 'better-sqlite3', connection: ':memory:', useNullAsDefault: true }

function faultsOf(options: Readonly<Record<string, unknown>>): readonly string[] {
  const config = { contentTypes: library, database: memory, logger: false, ...options }
  try {
    void contentRouter(config as ContentRouterConfig).close()
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.message.split('\n  ').slice(1)
  }
}

const url = (scheme: string): string => `${scheme}://reader:hunter22@db.example/content`
const unset = 'a variable of the environment, such as DATABASE_URL, may not be set'
const shape = 'use { client, connection }, such as { client: "pg", connection: process.env.DATABASE_URL }'
const clients = 'use one of better-sqlite3, mysql2, pg'
const written = (scheme: string): string =>
  `write ${scheme}://user:password@host/database; in the password # is %23, / is %2F and % is %25`

const databases: readonly (readonly [database: unknown, fault: string])[] = [
  [undefined, `database: is missing (${shape})`],
  [null, `database: is missing (${shape})`],
  ['postgres://db', `database: is neither a Knex configuration nor a Knex instance (${shape})`],
  [Promise.resolve(memory), `database: is neither a Knex configuration nor a Knex instance (${shape})`],
  [{ connection: ':memory:' }, `database.client: is missing (${clients})`],
  [{ client: 'mysql', connection: url('mysql') }, `database.client: mysql is not supported (${clients})`],
  [{ client: url('mysql') }, `database.client: this client is not supported (${clients})`],
  [{ client: 'pg' }, `database.connection: is undefined (${unset})`],
  [{ client: 'pg', connection: undefined }, `database.connection: is undefined (${unset})`],
  [{ client: 'mysql2', connection: null }, `database.connection: is null (${unset})`],
  [{ client: 'mysql2', connection: '' }, `database.connection: is empty (${unset})`],
  [{ client: 'better-sqlite3' }, `database.connection: is undefined (${unset})`],
  [
    { client: 'better-sqlite3', connection: { filename: undefined } },
    `database.connection.filename: is missing (':memory:' or a path)`,
  ],
  [
    { client: 'better-sqlite3', connection: { filename: '/nowhere-at-all/content.db' } },
    'database.connection.filename: its folder is not there (a path as seen from where the process was started)',
  ],
  [
    { client: 'mysql2', connection: url('postgres') },
    `database.connection: is a URL of postgres, and the client is mysql2 (use client: 'pg')`,
  ],
  [
    { client: 'pg', connection: url('mysql') },
    `database.connection: is a URL of mysql, and the client is pg (use client: 'mysql2')`,
  ],
  [
    { client: 'pg', connection: { connectionString: url('mariadb') } },
    `database.connection: is a URL of mariadb, and the client is pg (use client: 'mysql2')`,
  ],
  [
    { client: 'better-sqlite3', connection: url('postgresql') },
    `database.connection: is a URL of postgresql, and the client is better-sqlite3 (use client: 'pg')`,
  ],
  [
    { client: 'pg', connection: 'db.example:5432/content' },
    `database.connection: is no URL that can be read (${written('postgres')})`,
  ],
  [
    { client: 'pg', connection: url('https') },
    'database.connection: is a URL of https, and the client is pg (postgres://…)',
  ],
  ...['file:./dev.db', 'file:dev.db', 'sqlite:data.db', 'sqlite://data.db'].flatMap((name) =>
    [name, { filename: name }].map(
      (connection) =>
        [
          { client: 'better-sqlite3', connection },
          `database.connection: is a URL, where SQLite has the path of a file (its path alone: connection: { filename: './content.db' })`,
        ] as const,
    ),
  ),
  [{ client: 'better-sqlite3', connection: ' ' }, `database.connection: is empty (${unset})`],
  [
    { client: 'pg', connection: url('postgres'), pool: 5 },
    'database.pool: is no object ({ min: 0, max: 10 })',
  ],
  [
    { client: 'pg', connection: url('postgres'), pool: { max: 0 } },
    'database.pool.max: is not a whole number from 1 on',
  ],
  [
    { client: 'pg', connection: url('postgres'), pool: { max: '5' } },
    'database.pool.max: is not a whole number from 1 on',
  ],
  [
    { client: 'pg', connection: url('postgres'), pool: { min: 5, max: 2 } },
    'database.pool: min is more than max',
  ],
  [
    { client: 'mysql2', connection: 'mysql://reader:hunter22%@db.example/content' },
    `database.connection: is no URL that can be read (${written('mysql')})`,
  ],
]

describe('a database that cannot be meant', () => {
  it.each(databases)('is a fault at start: %j', (database, fault) => {
    expect(faultsOf({ database })).toEqual([fault])
    expect(fault).not.toMatch(/hunter22|reader|db\.example|nowhere-at-all/)
  })

  it.each(databases)('is one for migrate and seed, too: %j', async (database, fault) => {
    const config = { contentTypes: library, database } as ContentRouterConfig
    await expect(migrate(config)).rejects.toThrow(fault)
    await expect(seed(config, {})).rejects.toThrow(fault)
  })

  const server = { client: 'pg', connection: url('postgres') }

  it.each<[database: unknown, fault: string]>([
    [[], 'database: is an empty list (name the servers)'],
    [[server, { client: 'pg' }], `database[1].connection: is undefined (${unset})`],
    [[memory], 'database[0]: is a file, and a list is of servers (name the file alone)'],
    [[server, () => undefined], 'database[1]: is a Knex instance (give its configuration)'],
    [
      [server, [server]],
      'database[1]: is a list of servers, from which the router alone reads (name the server that takes writes)',
    ],
    [
      [server, { client: 'mysql2', connection: url('mysql') }],
      'database: names servers of different clients (one list for one client)',
    ],
  ])('is a fault in a list of servers: %j', (database, fault) => {
    expect(faultsOf({ database })).toEqual([fault])
  })

  it('is a list of servers for what writes', async () => {
    const config: ContentRouterConfig = { contentTypes: library, database: [server] }
    const fault =
      'database: is a list of servers, from which the router alone reads (name the server that takes writes)'
    await expect(migrate(config)).rejects.toThrow(fault)
    await expect(seed(config, {})).rejects.toThrow(fault)
  })

  it('may be undefined for TypeScript, as variables of the environment are', () => {
    const connection = process.env['NO_SUCH_DATABASE_URL']
    const config: ContentRouterConfig = { contentTypes: library, database: { client: 'pg', connection } }
    expect(() => contentRouter(config)).toThrow('database.connection: is undefined')
  })

  it('names the options that a pool has, where another is written', () => {
    const [fault, ...others] = faultsOf({ database: { ...memory, pool: { maximum: 5 } } })
    expect(others).toEqual([])
    expect(fault).toMatch(/^database\.pool\.maximum: there is no such option \(one of min, max, /)
  })

  it('is told beside what else is wrong', () => {
    expect(faultsOf({ database: { client: 'pg' }, defaultLocale: 7, logger: () => undefined })).toHaveLength(
      3,
    )
  })

  it.each([
    [{ client: 'better-sqlite3', connection: 'file.db' }],
    [{ client: 'pg', connection: '/var/run/postgresql' }],
    [{ client: 'pg', connection: {} }],
    [{ client: 'mysql2', connection: url('mariadb') }],
    [{ client: 'pg', connection: () => ({}) }],
  ])('is none of these: %j', (database) => {
    expect(faultsOf({ database })).toEqual([])
  })
})

describe('no configuration at all', () => {
  const shape = "({ contentTypes: './content-types', database: { client, connection } })"
  const calls: readonly (readonly [name: string, call: (config: never) => unknown])[] = [
    ['contentRouter', (config) => contentRouter(config)],
    ['migrate', (config) => migrate(config)],
    ['seed', (config) => seed(config, {})],
  ]

  it.each(calls)('is a fault of %s that says what one is', async (_name, call) => {
    const said = async (config: unknown): Promise<unknown> => {
      try {
        await call(config as never)
        return 'nothing'
      } catch (error) {
        return error instanceof ConfigError ? error.message : error
      }
    }
    expect(await said(undefined)).toContain(`config: is undefined ${shape}`)
    expect(await said(null)).toContain(`config: is null ${shape}`)
    expect(await said('./content-types')).toContain(`config: is no object, but string ${shape}`)
  })

  it('is one of what takes its place', () => {
    expect(faultsOf({ role: strapiAuth })).toContain(
      'role: is a function that was not called (strapiAuth({ jwtSecret, apiTokenSalt }))',
    )
    expect(faultsOf({ permissions: fromDatabase })).toContain(
      'permissions: is a function that was not called (fromDatabase())',
    )
    expect(faultsOf({ role: null })).toEqual(['role: is no function (use (req) => role, or strapiAuth(…))'])
    expect(faultsOf({ role: (strapiAuth as () => unknown)() })).toEqual([
      'role.jwtSecret: is not set (strapiAuth needs it from the project)',
      'role.apiTokenSalt: is not set (strapiAuth needs it from the project)',
    ])
    expect(() => (strapiProject as () => unknown)()).toThrow('strapiProject: is given no folder')
    expect(faultsOf({ contentTypes: [] })).toEqual([
      'contentTypes: is an empty list (a folder, several folders, or definitions)',
    ])
  })
})

describe('options that cannot be meant', () => {
  const log = 'as console and pino have; false: nothing is told'

  it.each<[options: Readonly<Record<string, unknown>>, fault: string]>([
    [
      { contentTypes: {} },
      'contentTypes: is neither a path nor a list (a folder, several folders, or a list of definitions)',
    ],
    [
      { contentTypes: undefined },
      'contentTypes: is missing (a folder, several folders, or a list of definitions)',
    ],
    [
      { logger: () => undefined },
      `logger: is no logger: it has no debug, no info, no warn, no error (${log})`,
    ],
    [
      { logger: { error: () => undefined } },
      `logger: is no logger: it has no debug, no info, no warn (${log})`,
    ],
    [{ logger: true }, `logger: is no logger: it has no debug, no info, no warn, no error (${log})`],
    [{ defaultLocale: 7 }, 'defaultLocale: is no code of a locale'],
    [
      { pagination: { pageSize: 5 } },
      'pagination.pageSize: there is no such option (one of defaultPageSize, maxPageSize, withCount)',
    ],
    [
      { cache: { ttl: 5 } },
      'cache.ttl: there is no such option (one of maxEntries, maxBytes, freshness, compress, feed)',
    ],
    [
      { permissions: { public: { read: ['book'] } } },
      'permissions.public.read: there is no such action (one of find, findOne, drafts, queries)',
    ],
    [
      { permissions: { public: { fnd: ['book'] } } },
      'permissions.public.fnd: there is no such action (did you mean find?)',
    ],
  ])('are a fault at start: %j', (options, fault) => {
    expect(faultsOf(options)).toEqual([fault])
  })

  it.each([[{ logger: false }], [{ logger: undefined }]])(
    'are no fault where the logger is left out: %p',
    (options) => {
      expect(faultsOf({ ...options, permissions: { public: { find: '*' } } })).toEqual([])
    },
  )
})

describe('a driver that is not installed', () => {
  let folder = ''

  /** The packages of this project but for the driver, as they are found by links that are not followed. */
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'without-driver-'))
    mkdirSync(join(folder, 'node_modules'))
    const names = readdirSync(join(root, 'node_modules')).filter(
      (name) => name !== 'pg' && !name.startsWith('.'),
    )
    for (const name of names)
      symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
    for (const name of ['lib', 'migrations', 'package.json'])
      symlinkSync(join(root, name), join(folder, name))
  })
  afterAll(() => {
    rmSync(folder, { recursive: true })
  })

  it('is a fault that says how to install it', async () => {
    const database = `{ client: 'pg', connection: 'postgres://localhost/content' }`
    const contentTypes = JSON.stringify(join(root, 'content-types'))
    const code = `
      try { require('./lib').contentRouter({ contentTypes: ${contentTypes}, database: ${database} }) }
      catch (error) { process.stdout.write(error.name + '\\n' + error.message) }`
    const compiler = join(root, 'bench', 'typescript.cjs')
    const words = ['--preserve-symlinks', '--require', compiler, '-e', code]
    const { stdout } = await run(process.execPath, words, { cwd: folder })
    const fault = '  database.client: the driver pg is not installed (npm install pg)'
    expect(stdout).toBe(`ConfigError\n1 fault in the configuration of the content router\n${fault}`)
  }, 60_000)
})
