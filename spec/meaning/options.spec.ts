import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError, contentRouter, type ContentRouterConfig, migrate } from '../../lib'
import { seed } from '../../extensions/seed'
import { readSettings } from '../../lib/http/settings'
import { version } from '../../lib/http/content'
import { library } from '../support/library'

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
const unset = 'check environment variables such as DATABASE_URL'
const shape = 'write an object such as { client: "pg", connection: process.env.DATABASE_URL }'
const clients = 'set database.client to one of better-sqlite3, mysql2, pg'
const written = (scheme: string): string =>
  `write ${scheme}://user:password@host/database. In the password, write %23 for #, %2F for / and %25 for %`

const databases: readonly (readonly [database: unknown, fault: string])[] = [
  [undefined, `database: the option is missing (${shape})`],
  [null, `database: the option is missing (${shape})`],
  ['postgres://db', `database: database must be a Knex configuration or a Knex instance (${shape})`],
  [Promise.resolve(memory), `database: database must be a Knex configuration or a Knex instance (${shape})`],
  [[memory, memory], 'database: database cannot be a list of servers (set the URL of a proxy)'],
  [{ connection: ':memory:' }, `database.client: the client is missing (${clients})`],
  [
    { client: 'mysql', connection: url('mysql') },
    `database.client: the client mysql is not supported (${clients})`,
  ],
  [{ client: url('mysql') }, `database.client: the client is not supported (${clients})`],
  [{ client: 'pg' }, `database.connection: the option database.connection is undefined (${unset})`],
  [
    { client: 'pg', connection: undefined },
    `database.connection: the option database.connection is undefined (${unset})`,
  ],
  [
    { client: 'mysql2', connection: null },
    `database.connection: the option database.connection is null (${unset})`,
  ],
  [
    { client: 'mysql2', connection: '' },
    `database.connection: the option database.connection is empty (${unset})`,
  ],
  [
    { client: 'better-sqlite3' },
    `database.connection: the option database.connection is undefined (${unset})`,
  ],
  [
    { client: 'better-sqlite3', connection: { filename: undefined } },
    "database.connection.filename: the path of the database file is missing (write the path of the database file, or ':memory:')",
  ],
  [
    { client: 'better-sqlite3', connection: { filename: '/nowhere-at-all/content.db' } },
    'database.connection.filename: the folder of the database file does not exist (correct the path. A relative path starts at the working directory of the process)',
  ],
  [
    { client: 'mysql2', connection: url('postgres') },
    "database.connection: the connection URL begins with postgres://, but database.client is mysql2 (set client: 'pg')",
  ],
  [
    { client: 'pg', connection: url('mysql') },
    "database.connection: the connection URL begins with mysql://, but database.client is pg (set client: 'mysql2')",
  ],
  [
    { client: 'pg', connection: { connectionString: url('mariadb') } },
    "database.connection: the connection URL begins with mariadb://, but database.client is pg (set client: 'mysql2')",
  ],
  [
    { client: 'better-sqlite3', connection: url('postgresql') },
    "database.connection: the connection URL begins with postgresql://, but database.client is better-sqlite3 (set client: 'pg')",
  ],
  [
    { client: 'pg', connection: 'db.example:5432/content' },
    `database.connection: the connection of the database must be a valid URL (${written('postgres')})`,
  ],
  [
    { client: 'pg', connection: url('https') },
    'database.connection: the connection URL begins with https://, but database.client is pg (write a URL that begins with postgres://)',
  ],
  ...['file:./dev.db', 'file:dev.db', 'sqlite:data.db', 'sqlite://data.db'].flatMap((name) =>
    [name, { filename: name }].map(
      (connection) =>
        [
          { client: 'better-sqlite3', connection },
          "database.connection: the connection is a URL, but SQLite requires the path of a database file (write the path as connection: { filename: './content.db' })",
        ] as const,
    ),
  ),
  [
    { client: 'better-sqlite3', connection: ' ' },
    `database.connection: the option database.connection is empty (${unset})`,
  ],
  [
    { client: 'mysql2', connection: 'mysql://reader:hunter22%@db.example/content' },
    `database.connection: the connection of the database must be a valid URL (${written('mysql')})`,
  ],
]

describe('the option database', () => {
  it.each(databases)('is rejected: %j', (database, fault) => {
    expect(faultsOf({ database })).toEqual([fault])
    expect(fault).not.toMatch(/hunter22|reader|db\.example|nowhere-at-all/)
  })

  it('is rejected by migrate and seed as well', async () => {
    for (const [database, fault] of databases.filter((_one, at) => at % 5 === 0)) {
      const config = { contentTypes: library, database } as ContentRouterConfig
      await expect(migrate(config)).rejects.toThrow(fault)
      await expect(seed(config, {})).rejects.toThrow(fault)
    }
  })

  it('may be undefined by type, as environment variables are', () => {
    const connection = process.env['NO_SUCH_DATABASE_URL']
    const config: ContentRouterConfig = { contentTypes: library, database: { client: 'pg', connection } }
    expect(() => contentRouter(config)).toThrow(
      'database.connection: the option database.connection is undefined',
    )
  })

  it('is reported beside other faults', () => {
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
  ])('is accepted: %j', (database) => {
    expect(faultsOf({ database })).toEqual([])
  })
})

describe('a missing configuration', () => {
  const shape = `(pass { contentTypes: './content-types', database: { client, connection } })`
  const calls: readonly (readonly [name: string, call: (config: never) => unknown])[] = [
    ['contentRouter', (config) => contentRouter(config)],
    ['migrate', (config) => migrate(config)],
    ['seed', (config) => seed(config, {})],
  ]

  it.each(calls)('is rejected by %s with an example', async (_name, call) => {
    const said = async (config: unknown): Promise<unknown> => {
      try {
        await call(config as never)
        return 'nothing'
      } catch (error) {
        return error instanceof ConfigError ? error.message : error
      }
    }
    expect(await said(undefined)).toContain(`config: the value is undefined ${shape}`)
    expect(await said(null)).toContain(`config: the value is null ${shape}`)
    expect(await said('./content-types')).toContain(`config: the value is a string ${shape}`)
  })

  it('is reported with a remedy for each option', () => {
    expect(faultsOf({ role: null })).toEqual([
      'role: the value must be a function (set role to a function (req) => role, or to strapiAuth(…))',
    ])
    expect(faultsOf({ contentTypes: [] })).toEqual([
      'contentTypes: the list is empty (set contentTypes to a folder, several folders, or a list of definitions)',
    ])
  })
})

describe('defaults of extensions', () => {
  const settingsOf = (options: Partial<ContentRouterConfig>) =>
    readSettings({ contentTypes: library, database: memory, logger: false, ...options })
  const preset = { name: 'a', defaults: { drafts: 'open', query: { maxDepth: 3, maxNodes: 7 } } } as const

  it('hold where the host says nothing, option by option in groups', () => {
    const { drafts, query } = settingsOf({ extensions: [preset], query: { maxDepth: 4 } })
    expect([drafts, query.maxDepth, query.maxNodes, query.maxLength]).toEqual(['open', 4, 7, 50_000])
  })

  it('may set what a host cannot', () => {
    const internal = { loadingArtefacts: true, olderFormat: true }
    expect(settingsOf({ extensions: [{ name: 'a', defaults: internal }] })).toMatchObject(internal)
    expect(faultsOf(internal)).toEqual([
      expect.stringMatching(/^loadingArtefacts: the option loadingArtefacts does not exist/),
      expect.stringMatching(/^olderFormat: the option olderFormat does not exist/),
    ])
  })

  it('may contradict each other where the host decides', () => {
    const other = { name: 'b', defaults: { drafts: 'granted' } } as const
    expect(settingsOf({ extensions: [preset, other], drafts: 'granted' }).drafts).toBe('granted')
    expect(settingsOf({ extensions: [preset, { ...preset, name: 'b' }] }).drafts).toBe('open')
  })
})

describe('invalid options', () => {
  const log = 'use console or a pino logger, or set logger: false to turn off the log'

  it.each<[options: Readonly<Record<string, unknown>>, fault: string]>([
    [
      { contentTypes: {} },
      'contentTypes: the value must be a path or a list (set contentTypes to a folder, several folders, or a list of definitions)',
    ],
    [
      { contentTypes: undefined },
      'contentTypes: the option is missing (set contentTypes to a folder, several folders, or a list of definitions)',
    ],
    [
      { logger: () => undefined },
      `logger: the logger must have the methods debug, info, warn, error (${log})`,
    ],
    [
      { logger: { error: () => undefined } },
      `logger: the logger must have the methods debug, info, warn (${log})`,
    ],
    [{ logger: true }, `logger: the logger must have the methods debug, info, warn, error (${log})`],
    [{ defaultLocale: 7 }, 'defaultLocale: the value must be a locale code'],
    [{ timeout: 0 }, 'timeout: the value must be above 0 milliseconds, or Infinity'],
    [
      { pagination: { defaultPageSize: 200 } },
      'pagination.defaultPageSize: the default page size is higher than pagination.maxPageSize, which is 100 (increase pagination.maxPageSize)',
    ],
    [
      { pagination: { defaultPageSize: 20, maxPageSize: 10 } },
      'pagination.defaultPageSize: the default page size is higher than pagination.maxPageSize, which is 10 (increase pagination.maxPageSize)',
    ],
    [
      { pagination: { pageSize: 5 } },
      'pagination.pageSize: the option pageSize does not exist (write pagination: { defaultPageSize })',
    ],
    [
      {
        extensions: [
          { name: 'a', defaults: { drafts: 'open', query: { maxDepth: 3 } } },
          { name: 'b', defaults: { drafts: 'open', query: { maxDepth: 4 } } },
        ],
      },
      'extensions: the extensions a and b set different defaults for the option query (set the option query in your config)',
    ],
    [{ extensions: true }, 'extensions: the value must be a list (write extensions: [openapi()])'],
    [{ extensions: null }, 'extensions: the value must be a list (write extensions: [openapi()])'],
    [
      { extensions: { name: 'a' }, permissions: { public: { queries: 'named' } } },
      'extensions: the value must be a list (write extensions: [openapi()])',
    ],
    [
      { extensions: ['openapi'] },
      'extensions[0]: the value is not an extension (write extensions: [openapi()])',
    ],
    [
      { extensions: [undefined] },
      'extensions[0]: the value is not an extension (write extensions: [openapi()])',
    ],
    [{ extensions: [{ routes: [] }] }, 'extensions[0]: an extension must have a name'],
    [
      {
        extensions: [
          function audit() {
            return { name: 'audit' }
          },
        ],
      },
      'extensions[0]: the value is a function (call the function: audit())',
    ],
    [
      { extensions: [{ name: 'a', routes: [{ path: 'here', handler: () => null }] }] },
      "extensions[0].routes: the routes of an extension must be a list such as [{ path: '/…', handler }]",
    ],
    [{ extensions: [{ name: 'a' }, { name: 'a' }] }, 'extensions[1]: a is listed twice'],
    [
      { extensions: [{ name: 'a', check: true }] },
      'extensions[0].check: each hook of an extension must be a function',
    ],
    [
      { extensions: [{ name: 'a', route: [] }] },
      'extensions[0].route: the option route does not exist (did you mean routes?)',
    ],
    [
      { extensions: [{ name: 'a', routes: [{ handler: () => null }] }] },
      "extensions[0].routes: the routes of an extension must be a list such as [{ path: '/…', handler }]",
    ],
    [
      { extensions: [{ name: 'a', defaults: { query: { maxDepth: 'deep' } } }] },
      'extensions[0].defaults.query.maxDepth: the value must be an integer, 0 or higher',
    ],
    [
      {
        extensions: ['a', 'b'].map((name) => ({
          name,
          routes: [{ path: name === 'a' ? '/here' : '/Here/', handler: () => () => undefined }],
        })),
      },
      'extensions: a and b both serve the path /Here/',
    ],
    ...['/Books', '/books/mine', '/books/by/title/mine/'].map(
      (path): [Readonly<Record<string, unknown>>, string] => [
        { extensions: [{ name: 'a', routes: [{ path, handler: () => () => undefined }] }] },
        `extensions: api::book.book and a both serve the path ${path}`,
      ],
    ),
    [
      { extensions: [{ name: 'a', rewriteQuery: () => null }] },
      'extensions[0].rewriteQuery: this key of an extension must be an object',
    ],
    [{ pageSize: 5 }, 'pageSize: the option pageSize does not exist (write pagination: { defaultPageSize })'],
    [{ maxDepth: 5 }, 'maxDepth: the option maxDepth does not exist (write query: { maxDepth })'],
    [
      { 'query.maxDepth': 5 },
      'query.maxDepth: the option maxDepth does not exist (write query: { maxDepth })',
    ],
    [
      { query: { maxPageSize: 5 } },
      'query.maxPageSize: the option maxPageSize does not exist (write pagination: { maxPageSize })',
    ],
    [
      { query: { timeout: 5 } },
      'query.timeout: the option timeout does not exist (move timeout to the top level)',
    ],
    [
      { cache: { ttl: 5 } },
      'cache.ttl: the option ttl does not exist (use one of maxEntries, maxBytes, freshness, compress)',
    ],
    [
      { permissions: { public: { read: ['book'] } } },
      'permissions.public.read: read is not an action, and no extension defines read (use one of find, findOne, drafts, queries)',
    ],
    [
      { permissions: { public: { fnd: ['book'] } } },
      'permissions.public.fnd: fnd is not an action, and no extension defines fnd (did you mean find?)',
    ],
  ])('are rejected: %j', (options, fault) => {
    expect(faultsOf(options)).toEqual([fault])
  })

  it.each([
    [{ cache: true }, 'cache: the value must be false or an object'],
    [{ cache: [] }, 'cache: the value must be false or an object'],
    [{ cache: { maxBytes: 0 } }, 'cache.maxBytes: the value must be an integer, 1 or higher'],
    [{ cache: { maxEntries: Infinity } }, 'cache.maxEntries: the value must be an integer, 1 or higher'],
    [
      { cache: { freshness: 'soon' } },
      "cache.freshness: the value must be 'strict' or a number of milliseconds above 0",
    ],
    [
      { cache: { freshness: 0 } },
      `cache.freshness: the value must be 'strict' or a number of milliseconds above 0`,
    ],
    [{ cache: { compress: 'br' } }, 'cache.compress: the value must be true or false'],
    [{ cache: { maxByte: 1 } }, 'cache.maxByte: the option maxByte does not exist (did you mean maxBytes?)'],
    [{ etag: 'weak' }, 'etag: the value must be true or false'],
    [
      { pagination: { withCount: 'about' } },
      `pagination.withCount: the value must be true, false or 'estimated'`,
    ],
    [{ headers: { boook: {} } }, 'headers.boook: there is no type boook (did you mean book?)'],
    [
      { headers: { book: { cacheControl: 'public, max-age=1' } } },
      'cacheControl contains public or private, which the router adds itself',
    ],
    [
      { headers: { book: { cacheControl: 'max-age=1\r\nSet-Cookie: a=b' } } },
      'the key cacheControl must be a string of directives',
    ],
    [{ headers: { book: { vary: 'Cookie' } } }, 'headers.book.vary: vary must be a list of header names'],
    [{ headers: { book: { varies: [] } } }, 'headers.book.varies: the option varies does not exist'],
    [{ queue: { maxRunning: 0 } }, 'queue.maxRunning: the value must be an integer, 1 or higher'],
    [{ queue: { maxWaiting: -1 } }, 'queue.maxWaiting: the value must be an integer, 0 or higher'],
    [{ queue: { maxWaiting: 1.5 } }, 'queue.maxWaiting: the value must be an integer, 0 or higher'],
    [{ queue: { most: 1 } }, 'queue.most: the option most does not exist'],
    [{ queue: 'long' }, 'queue: the value must be an object of limits'],
  ])('are rejected among others: %j', (options, fault) => {
    expect(faultsOf(options)).toContainEqual(expect.stringContaining(fault))
  })

  it.each([
    [{ pagination: { maxPageSize: 10 } }],
    [{ pagination: { defaultPageSize: 10, maxPageSize: 10 } }],
    [{ extensions: [{ name: 'a', routes: [{ path: '/books/mine/all', handler: () => () => undefined }] }] }],
    [{ extensions: [{ name: 'a', rewriteQuery: { adds: {} } }] }],
  ])('are told from valid ones: %j', (options) => {
    expect(faultsOf({ ...options, permissions: { public: { find: '*' } } })).toEqual([])
  })

  it.each([[{ logger: false }], [{ logger: undefined }]])('may leave out the logger: %p', (options) => {
    expect(faultsOf({ ...options, permissions: { public: { find: '*' } } })).toEqual([])
  })
})

describe('permissions', () => {
  const problemsOf = (options: Readonly<Record<string, unknown>>): readonly string[] => {
    const config = { contentTypes: library, database: memory, logger: false, ...options }
    try {
      void contentRouter(config as ContentRouterConfig).close()
      return []
    } catch (error) {
      if (error instanceof ConfigError) return error.faults.map(({ where, problem }) => `${where} ${problem}`)
      throw error
    }
  }
  const noList = 'a grant must be a list of types or *'
  const noName = 'the list of types contains a value that is not the name of a type'

  it.each([
    ['all', 'permissions permissions must be an object or a function'],
    [null, 'permissions permissions must be an object or a function'],
    [5, 'permissions permissions must be an object or a function'],
    [[{ find: '*' }], 'permissions permissions must be an object or a function'],
    [Promise.resolve({}), 'permissions permissions must be an object or a function'],
    [new Map([['public', { find: '*' }]]), 'permissions permissions must be an object or a function'],
    [{ public: null }, 'permissions.public the grants of a role must be an object'],
    [{ public: undefined }, 'permissions.public the grants of a role must be an object'],
    [{ public: true }, 'permissions.public the grants of a role must be an object'],
    [{ public: '*' }, 'permissions.public the grants of a role must be an object'],
    [{ public: ['book'] }, 'permissions.public the grants of a role must be an object'],
    [{ public: () => true }, 'permissions.public the grants of a role must be an object'],
    [{ public: { find: true } }, `permissions.public.find ${noList}`],
    [{ public: { find: 'book' } }, `permissions.public.find ${noList}`],
    [{ public: { find: new Set(['book']) } }, `permissions.public.find ${noList}`],
    [{ public: { findOne: undefined } }, `permissions.public.findOne ${noList}`],
    [
      { public: { drafts: { book: 1 } } },
      'permissions.public.drafts.book a grant must be true, false or a rule',
    ],
    [{ public: { drafts: { boook: true } } }, 'permissions.public.drafts.boook there is no type boook'],
    [{ public: { find: [['book']] } }, `permissions.public.find ${noName}`],
    [{ public: { find: [null] } }, `permissions.public.find ${noName}`],
    [{ public: { find: [{ toString: (): string => 'book' }] } }, `permissions.public.find ${noName}`],
    [{ public: { find: ['*'] } }, 'permissions.public.find there is no type *'],
    [{ public: { find: ['boook'] } }, 'permissions.public.find there is no type boook'],
    [
      { public: { read: ['book'] } },
      'permissions.public.read read is not an action, and no extension defines read',
    ],
  ])('are rejected: %p', (permissions, fault) => {
    expect(problemsOf({ permissions })).toEqual([fault])
  })

  it.each([
    [{}],
    [{ public: {} }],
    [{ public: { find: [] } }],
    [{ source: { find: ['book'] } }],
    [{ open: { find: ['book'] } }],
    [Object.assign(Object.create(null) as object, { public: { find: '*' } })],
  ])('are accepted: %p', (permissions) => {
    expect(problemsOf({ permissions })).toEqual([])
  })
})

describe('limitsByRole', () => {
  const find = { find: '*' } as const
  const problemsOf = (limitsByRole: unknown): readonly string[] => {
    const permissions = { public: find, editor: find }
    const config = { contentTypes: library, database: memory, permissions, limitsByRole }
    try {
      void contentRouter(config as ContentRouterConfig).close()
      return []
    } catch (error) {
      if (error instanceof ConfigError)
        return error.faults.map(({ where, problem, remedy = '' }) => `${where} ${problem} ${remedy}`)
      throw error
    }
  }

  it.each([
    [
      { pubilc: {} },
      'limitsByRole.pubilc the option permissions does not contain the role pubilc did you mean public?',
    ],
    [
      { public: { maxDept: 1 } },
      'limitsByRole.public.maxDept the option maxDept does not exist did you mean maxDepth?',
    ],
    [{ public: { maxNodes: 0 } }, 'limitsByRole.public.maxNodes the value must be an integer, 1 or higher '],
    [
      { public: { maxSortKeys: -1 } },
      'limitsByRole.public.maxSortKeys the value must be an integer from 0 to 50 ',
    ],
    [
      { public: { maxSortKeys: Infinity } },
      'limitsByRole.public.maxSortKeys the value must be an integer from 0 to 50 ',
    ],
    [
      { public: { timeout: 0 } },
      'limitsByRole.public.timeout the value must be above 0 milliseconds, or Infinity ',
    ],
    [
      { public: { defaultPageSize: 5 } },
      'limitsByRole.public.defaultPageSize limitsByRole cannot contain the option defaultPageSize ',
    ],
    [{ public: 5 }, 'limitsByRole.public the limits of a role must be an object '],
    [5, 'limitsByRole the value must be an object '],
  ])('are rejected: %j', (given, fault) => {
    expect(problemsOf(given)).toEqual([fault])
  })

  it('accepts every limit', () => {
    const limits = { arrayLimit: 1, maxParameters: 1, maxLength: 1, maxDepth: 0, maxNodes: 1, maxInValues: 1 }
    const others = {
      maxEntries: 1,
      maxLinks: 0,
      maxConditions: 0,
      maxPageSize: 1,
      maxSortKeys: 50,
      timeout: Infinity,
    }
    expect(problemsOf({ public: { ...limits, ...others } })).toEqual([])
  })
})

describe('the version in ETags', () => {
  it('is that of the package', () => {
    const text = readFileSync(join(__dirname, '..', '..', 'package.json'), 'utf8')
    expect(version).toBe((JSON.parse(text) as { version: string }).version)
  })
})
