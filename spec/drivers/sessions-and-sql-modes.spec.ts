import { knex as makeKnex, type Knex } from 'knex'
import { contentRouter, type ContentRouterConfig, type PermissionTable } from '../../lib'
import { describeOn, eachDatabase, type TestDatabase, testDatabase } from '../support/databases'
import { collection, integer, library, text } from '../support/library'
import { probe, type Prober } from '../support/prober'
import { type AfterCreate, saying } from '../support/saying'
import { type Served, stocked } from '../support/served'

interface Card {
  readonly title: string
}

/** Modes that change how the server reads the text of a statement. */
const modes = ['NO_BACKSLASH_ESCAPES', 'ANSI,NO_BACKSLASH_ESCAPES', 'ANSI_QUOTES,PIPES_AS_CONCAT']

/** Ends of a quoted string in any of these modes, and statements that would show an injection. */
const breakouts = [
  `'`,
  `\\'`,
  `\\\\'`,
  `''`,
  `"`,
  '`',
  `\\`,
  `¥'`,
  `%bf%27`,
  ...[`'`, `\\'`].flatMap((quote) => [
    `x${quote} or 1=1 -- `,
    `x${quote})) or 1=1 -- `,
    `x${quote} union select 1,2,3,4,5 -- `,
    `x${quote}; drop table cards; -- `,
  ]),
]

interface FileSession {
  pragma(text: string): unknown
}

interface Setting {
  /** Its value on the connection that reads. */
  readonly shown: string
  readonly wanted: string
  /** Another value, set by the pool of the host. */
  readonly afterCreate: AfterCreate
}

interface OfServer {
  readonly schema: string
  readonly isolation: string
  readonly sortBuffer: string
  /** A part of the optimizer that has to be off. */
  readonly part: string
}

/** MySQL needs a large sort buffer; MariaDB sorts in any, but fails in a very small one. */
const onMysql = ({ schema, isolation, sortBuffer, part }: OfServer): Setting => ({
  shown: `select group_concat(
      if(variable_name = 'optimizer_switch', variable_value like '%${part}=off%', variable_value)
      order by lower(variable_name) separator ' ') from ${schema}.session_variables
    where variable_name in
      ('autocommit', 'character_set_results', 'max_sort_length', 'optimizer_switch', 'sort_buffer_size', '${isolation}')`,
  wanted: `ON utf8mb4 1024 1 ${sortBuffer} REPEATABLE-READ`,
  afterCreate: saying(
    `set session autocommit = 0, session character_set_results = latin1, session max_sort_length = 64,
      session optimizer_switch = '${part}=on', session sort_buffer_size = 32768, session ${isolation} = 'READ-COMMITTED'`,
  ),
})

const settings: Readonly<Record<TestDatabase['name'], Setting>> = {
  sqlite: {
    shown: 'select cast(timeout as text) from pragma_busy_timeout',
    wanted: '0',
    afterCreate: (connection, done) => {
      ;(connection as FileSession).pragma('busy_timeout = 5000')
      done(null, connection)
    },
  },
  mariadb: onMysql({
    schema: 'information_schema',
    isolation: 'tx_isolation',
    sortBuffer: '262144',
    part: 'mrr',
  }),
  mysql: onMysql({
    schema: 'performance_schema',
    isolation: 'transaction_isolation',
    sortBuffer: '8388608',
    part: 'subquery_to_derived',
  }),
  postgres: {
    shown: `select concat_ws(' ', current_setting('jit'), current_setting('datestyle'), current_setting('extra_float_digits'),
      current_setting('client_encoding'))`,
    wanted: 'off ISO, MDY 3 UTF8',
    afterCreate: saying(
      `set jit = on; set datestyle = 'German, YMD'; set extra_float_digits = -15; set client_encoding = 'latin1'`,
    ),
  },
}

const settingTypes = [collection('setting', { name: text })] as unknown as ContentRouterConfig['contentTypes']

eachDatabase((database) => {
  describe('a pool of the host with other settings', () => {
    const { world, serve } = stocked(database, settingTypes, {})
    const { shown, wanted, afterCreate } = settings[database.name]

    /** A view that shows the settings of the connection that reads it. */
    beforeAll(async () => {
      await world.knex.schema.dropTable('settings')
      await world.knex.raw(
        `create view settings as select 1 as id, 'a' as document_id, (${shown}) as name,
        null as created_at, null as updated_at, null as published_at`,
      )
    })

    it('gets the settings that the router needs', async () => {
      const { values } = serve({ database: { ...world.config, pool: { afterCreate } } })
      expect(await values('settings?fields=name', 'name')).toEqual([wanted])
    })
  })

  describe('a quoted value', () => {
    const types = [collection('card', { title: text, hidden: { ...text, private: true } })]
    const contents = ['plain', ...breakouts]
    const { world, serve } = stocked(database, types as Parameters<typeof stocked>[1], {
      card: contents.map((title, index) => ({ title, hidden: `kept ${String(index)}` })),
    })

    const own = 'its own'

    const serveIn = (mode: string, options: Partial<ContentRouterConfig> = {}): Served => {
      if (mode === own) return serve(options)
      const afterCreate = saying(`set session sql_mode = '${mode}'`)
      return serve({ ...options, database: { ...world.config, pool: { min: 0, max: 2, afterCreate } } })
    }

    async function titlesBy(asked: Prober, query: string): Promise<readonly string[]> {
      const { whole } = await asked.ask(`cards?${query}&pagination[pageSize]=100`, { role: 'public' })
      const { data } = JSON.parse(whole.slice(whole.lastIndexOf('\n') + 1)) as { data: readonly Card[] }
      return data.map(({ title }) => title)
    }

    describe.each(database.dialect === 'mysql' ? [own, ...modes] : [own])('the SQL mode %s', (mode) => {
      let exact: Prober
      let loose: Prober

      beforeAll(async () => {
        exact = await probe(world, serveIn(mode))
        loose = await probe(
          world,
          serveIn(mode, {
            textMatching: 'database',
            extensions: [{ name: 'artefacts', defaults: { loadingArtefacts: true } }],
          }),
        )
      })

      it.each(breakouts)('does not let a value end its string: %j', async (value) => {
        const said = encodeURIComponent(value)
        const search = `_q=${said}&filters[title][$containsi]=${said}`
        const inList = `filters[title][$in][0]=${said}&filters[title][$in][1]=${said}&sort=title`
        const between = `filters[title][$between][0]=${said}&filters[title][$between][1]=${said}`
        // Another mode reads strings alike, whatever the operator.
        const queries =
          mode === own ? [inList, `${between}&filters[$and][0][title][$endsWith]=${said}`] : [between]
        for (const query of queries) expect([query, await titlesBy(exact, query)]).toEqual([query, [value]])
        if (mode === own) expect(await titlesBy(exact, search)).toContain(value)
        const { status, whole } = await loose.ask(`cards?${search}`, { role: 'public' })
        expect([status, whole.includes('kept')]).toEqual([200, false])
        expect((await exact.ask(`cards/${said}`, { role: 'public' })).status).toBe(404)
      })

      it('leaves the table as it was', async () => {
        expect(await titlesBy(exact, '')).toEqual(contents)
      })
    })
  })
})

const entry = {
  day: '2024-05-06',
  at: '2024-05-06T07:08:09.120Z',
  told: '2024-05-06T07:08:09.012Z',
  share: 0.1234567890123456,
}

const measureTypes = [
  collection('measure', {
    day: { type: 'date' },
    at: { type: 'datetime' },
    told: { type: 'timestamp' },
    share: { type: 'float' },
  }),
] as unknown as ContentRouterConfig['contentTypes']

/** A commit of another spec during the request costs the response its ETag. */
async function tagged({ get }: Served): ReturnType<Served['get']> {
  for (let asked = 0; asked < 1000; asked += 1) {
    const answer = await get('measures')
    if ('etag' in answer.headers) return answer
  }
  throw new Error('no response has an ETag')
}

describeOn(['postgres'])('a session of %s', (name) => {
  const { world, serve } = stocked(testDatabase(name), measureTypes, { measure: [entry] })

  it.each(['Postgres, DMY', 'German, DMY', 'SQL, MDY'])(
    'with the datestyle %s and few float digits changes no response',
    async (style) => {
      const afterCreate = saying(`set datestyle = '${style}'; set extra_float_digits = -10`)
      const { list } = serve({ database: { ...world.config, pool: { afterCreate } } })
      expect(await list('measures')).toMatchObject([entry])
      const filters = `filters[day]=${entry.day}&filters[at]=${entry.at}&filters[share]=${String(entry.share)}`
      expect(await list(`measures?${filters}`)).toHaveLength(1)
    },
  )

  it('has responses and ETags of its schema, whether the config or the session sets the search path', async () => {
    await world.knex.raw('create schema other')
    await world.knex.raw('create table other.measures (like measures including all)')
    const cache = {}
    const first = serve({ cache })
    const byOption = serve({ cache, database: { ...world.config, searchPath: ['other'] } })
    const afterCreate = saying('set search_path = other')
    const bySession = serve({ cache, database: { ...world.config, pool: { afterCreate } } })
    const answers = await Promise.all([first, byOption, bySession].map(tagged))
    expect(answers.map(({ body }) => (body as { data: unknown[] }).data.length)).toEqual([1, 0, 0])
    const [tag, ...others] = answers.map(
      ({ headers }) => (headers as Readonly<Record<string, string>>)['etag'],
    )
    expect(tag).toBeDefined()
    expect(others).not.toContain(tag)
  })

  it('reads a table from the first schema of its search path that has it', async () => {
    await world.knex.raw('create schema foreigners')
    await world.knex.raw('create table foreigners.measures (id bigint, day text)')
    await world.knex.raw('drop role if exists reader_of_measures')
    await world.knex.raw("create role reader_of_measures login password 'reads'")
    await world.knex.raw('grant usage on schema foreigners to reader_of_measures')
    await world.knex.raw('grant usage on schema public to reader_of_measures')
    await world.knex.raw('grant select on all tables in schema public to reader_of_measures')
    const ready = async (searchPath: readonly string[], user = {}): Promise<unknown> => {
      const connection = { ...(world.config.connection as object), ...user }
      const router = world.closing(
        contentRouter({
          contentTypes: measureTypes,
          permissions: { public: { find: '*' } },
          database: { ...world.config, connection, searchPath },
          logger: false,
        }),
      )
      return router.ready().then(
        () => 'fits',
        (error: unknown) => String(error),
      )
    }
    expect(await ready(['public', 'foreigners'])).toBe('fits')
    expect(await ready(['foreigners', 'public'])).toContain('measures')
    expect(await ready(['public', 'foreigners'], { user: 'reader_of_measures', password: 'reads' })).toBe(
      'fits',
    )
    await world.knex.raw('drop owned by reader_of_measures')
    await world.knex.raw('drop role reader_of_measures')
  })
})

describeOn(['mysql', 'mariadb'])('a session of %s without autocommit', (name) => {
  const { world, serve } = stocked(testDatabase(name), measureTypes, { measure: [entry] })

  it('reads new commits, and holds no lock on tables', async () => {
    const afterCreate = saying('set autocommit = 0')
    const { values } = serve({ database: { ...world.config, pool: { min: 1, max: 1, afterCreate } } })
    for (const share of [0.5, 0.25, 0.125]) {
      await world.knex('measures').update({ share })
      expect(await values('measures', 'share')).toEqual([share])
    }
    await world.knex.raw('set session lock_wait_timeout = 2')
    await world.knex.raw('alter table measures add column later int')
  })
})

const signs = ['😀', '?', 'é', 'open', ''] as const

const grant = (where: object): PermissionTable[string] => ({ find: { symbol: { where } } })

const symbolTypes = [
  collection('symbol', { text, number: integer }),
] as unknown as ContentRouterConfig['contentTypes']

describeOn(['mariadb', 'mysql'])('a connection to %s with another character set', (name) => {
  const { world } = stocked(testDatabase(name), symbolTypes, {
    symbol: signs.map((sign, number) => ({ text: sign, number })),
  })
  const modes = name === 'mariadb' ? [`set sql_mode = 'EMPTY_STRING_IS_NULL'`] : []
  const sessions = [
    'set names utf8mb3',
    'set character_set_connection = latin1',
    'set collation_connection = latin1_swedish_ci',
    ...modes,
  ]

  async function expectSameTexts(database: Knex | Knex.Config): Promise<void> {
    const permissions = {
      is: grant({ text: { $asker: 'of' } }),
      isNot: grant({ text: { $ne: { $asker: 'of' } } }),
      isNoSmile: grant({ text: { $notIn: ['😀', ''] } }),
    }
    const router = world.closing(
      contentRouter({ contentTypes: symbolTypes, logger: false, database, permissions }),
    )
    await router.ready()
    const numbersFor = async (roles: string, of = ''): Promise<readonly unknown[]> => {
      const { data } = await router.as({ roles, asker: { of } }).find('symbols', { sort: 'number' })
      return data.map((entry) => entry['number'])
    }
    for (const [number, of] of signs.entries()) {
      const others = [...signs.keys()].filter((other) => other !== number)
      const found = [await numbersFor('is', of), await numbersFor('isNot', of)]
      expect([of, ...found]).toEqual([of, [number], others])
    }
    expect(await numbersFor('isNoSmile')).toEqual([1, 2, 3])
  }

  it.each(['utf8', 'latin1', 'ascii', 'UTF8_GENERAL_CI'])(
    'in its config compares the same texts: %s',
    (charset) =>
      expectSameTexts({ ...world.config, connection: { ...(world.config.connection as object), charset } }),
  )

  it.each(sessions)('in its session compares the same texts: %s', async (statement) => {
    const config = { ...world.config, pool: { afterCreate: saying(statement) } }
    await expectSameTexts(config)
    const instance = makeKnex(config)
    await expectSameTexts(instance)
    await instance.destroy()
  })
})

/** The router prepares statements by name on PostgreSQL alone: SQLite's are kept here, and MySQL's are not prepared. */
describeOn(['postgres'] as const)('a prepared statement of %s', (name) => {
  const { world, serve } = stocked(testDatabase(name), library, {
    author: [{ name: 'Ada' }, { name: 'Bob' }],
    book: [{ title: 'One', year: 1 }],
  })
  let knex: Knex
  let served: Served

  beforeEach(() => {
    knex = makeKnex({ ...world.config, pool: { min: 1, max: 1 } })
    served = serve({ database: knex })
  })
  afterEach(() => knex.destroy())

  /** On the only connection of the pool. */
  async function keptFor(table: string): Promise<number> {
    const { rows } = await knex.raw<{ rows: readonly { readonly statement: string }[] }>(
      'select statement from pg_prepared_statements',
    )
    return rows.filter(({ statement }) => statement.includes(`"${table}"`)).length
  }

  async function ask(...paths: readonly string[]): Promise<void> {
    for (const path of paths) await served.page(path)
  }

  it('is prepared with the third request', async () => {
    await ask('authors?fields=name', 'authors?fields=name')
    expect(await keptFor('authors')).toBe(0)
    await ask('authors?fields=name')
    expect(await keptFor('authors')).toBe(1)
  })

  it('serves requests that differ in values alone', async () => {
    await ask('books?filters[year]=1', 'books?filters[year]=2', 'books?filters[year]=3')
    expect(await keptFor('books')).toBe(1)
    await ask('books?filters[year]=4', 'books?filters[year]=5')
    expect(await keptFor('books')).toBe(1)
  })

  it('is not made for requests that come once', async () => {
    await ask('books?filters[year]=1', 'books?filters[title]=One', 'books?filters[year][$gt]=0')
    expect(await keptFor('books')).toBe(0)
  })
})
