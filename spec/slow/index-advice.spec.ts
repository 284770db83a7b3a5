import type { Knex } from 'knex'
import { type ContentRouterConfig, migrate } from '../../lib'
import { runAdvise } from '../../tools/command/run-advise'
import { describeOn, testDatabase } from '../support/databases'
import { collection, integer, relation, text } from '../support/library'

const existing = (
  singularName: string,
  id: string,
  attributes: Readonly<Record<string, object>>,
): object => ({
  ...collection(singularName, attributes),
  table: { existing: true, id },
})

const types = [
  collection(
    'author',
    { name: text, articles: relation('oneToMany', 'article', { mappedBy: 'author' }) },
    { drafts: true },
  ),
  collection(
    'article',
    {
      ...{ title: text, code: text, category: text, views: integer },
      author: relation('manyToOne', 'author', { inversedBy: 'articles' }),
    },
    { drafts: true },
  ),
  collection('page', { title: text }, { drafts: true, localized: true }),
  existing('film', 'film_id', {
    name: { ...text, columnName: 'film_name' },
    minutes: integer,
    studio: relation('manyToOne', 'studio', { joinColumn: { name: 'studio_id' } }),
  }),
  existing('studio', 'studio_id', { name: text }),
] as unknown as ContentRouterConfig['contentTypes']

const filmTables = [
  'create table studios (studio_id integer not null primary key, name varchar(100))',
  'create table films (film_id integer not null primary key, film_name varchar(100), minutes integer, studio_id integer)',
]

const rows = 20_000
const others = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((x) => ` union all select ${String(x)}`).join('')
const numbers = `with d as (select 0 as x${others}), numbers as (
  select 1 + a.x + 10 * b.x + 100 * c.x + 1000 * e.x + 10000 * f.x as n from d a, d b, d c, d e, d f where f.x < 2)`

type Dialect = keyof typeof analyze

/** Instants of the number `n`. */
const instants = {
  sqlite: '(1704067200000 + n * 1000)',
  mysql: `('2024-01-01' + interval n second)`,
  postgres: `(timestamp '2024-01-01' + n * interval '1 second')`,
} as const

const analyze = { sqlite: 'analyze', mysql: 'analyze table', postgres: 'vacuum analyze' } as const

/** Half of the versions are drafts, which come first. */
async function fill(knex: Knex, dialect: Dialect): Promise<void> {
  const at = instants[dialect]
  const published_at = `case when n > ${String(rows / 2)} then ${at} end`
  const shuffled = `n * 7919 % ${String(rows)}`
  const tables: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    authors: { id: 'n', document_id: `concat('u', n)`, name: `concat('Author ', n)`, published_at: at },
    articles: {
      ...{ id: 'n', document_id: `concat('a', n)`, title: `concat('Title ', ${shuffled})`, published_at },
      ...{ code: `concat('Code ', ${shuffled})`, category: `concat('Category ', n % 50)`, views: shuffled },
    },
    articles_author_lnk: { id: 'n', article_id: 'n', author_id: 'n' },
    pages: {
      ...{ id: 'n', document_id: `concat('p', n)`, title: `concat('Title ', ${shuffled})`, published_at },
      locale: `case when n % 2 = 0 then 'en' else 'de' end`,
    },
    studios: { studio_id: 'n', name: `concat('Studio ', n)` },
    films: { film_id: 'n', film_name: `concat('Film ', ${shuffled})`, minutes: shuffled, studio_id: 'n' },
  }
  for (const statement of filmTables) await knex.raw(statement)
  for (const [table, columns] of Object.entries(tables)) {
    await knex.raw(
      `insert into ${table} (${Object.keys(columns).join(', ')}) ${numbers} select ${Object.values(columns).join(', ')} from numbers`,
    )
    await knex.raw(`${analyze[dialect]} ${table}`)
  }
}

async function advise(
  config: Partial<ContentRouterConfig>,
  queries: readonly string[],
  applies: boolean,
): Promise<string> {
  const printed: string[] = []
  const output = {
    print: (line: string) => printed.push(line),
    complain: (line: string) => {
      throw new Error(line)
    },
  }
  const own = { contentTypes: types, logger: false, ...config } as ContentRouterConfig
  expect(await runAdvise(own, { queries, log: null, role: null, asker: {}, applies }, output)).toBe(0)
  return printed.join('\n')
}

/** Parts of a plan that read or sort many rows. */
const slow: Readonly<Record<Dialect, RegExp>> = {
  sqlite: /SCAN t1(?! USING COVERING)|SCAN t[23]$/,
  postgres: /Seq Scan on|Sort +\(.*rows=\d{4}|(Bitmap Index Scan on|Index Scan using) \w+_pkey .*rows=\d{4}/,
  // Plans as trees, and as tables.
  mysql:
    /Table scan on t\d .*rows=\d{4}|scan on t1 using PRIMARY|Sort: .*rows=\d{4}|\| ALL \| (.* )?\d{4,} \||\| t1 \| index \|.*PRIMARY \| 4 \||\| \d{4,} \|.*filesort/,
}

function slowSteps(plan: string, dialect: Dialect): readonly string[] {
  const lines = plan.split('\n').filter((line) => !line.includes('SUBQUERY'))
  const [, picked = 'none'] = /CO-ROUTINE (t\d)/.exec(plan) ?? []
  const steps = lines.filter((line) => slow[dialect].test(line) && !line.endsWith(`SCAN ${picked}`))
  // SQLite sorts the rows of the page again.
  return [...steps, ...lines.filter((line) => line.includes('USE TEMP B-TREE')).slice(1)]
}

const uncounted = 'pagination[withCount]=false'

describeOn(['sqlite', 'mariadb', 'mysql', 'postgres'])('on %s', (name) => {
  const database = testDatabase(name)
  const { dialect } = database
  const world = database.fresh()
  // The order of texts by code points has no index on MySQL and MariaDB.
  const textMatching = dialect === 'mysql' ? 'database' : 'exact'
  const queries = [
    'articles?sort=title',
    'articles?filters[code]=Code 77',
    // SQLite reads such lists by id.
    ...(dialect === 'sqlite' ? [] : ['articles?filters[views][$lt]=50']),
    'articles?filters[author][name]=Author 7',
    'articles?filters[category]=Category 7&sort=views:desc',
    'pages?sort=title',
    'films?sort=minutes:desc',
    'films?filters[name]=Film 7',
    'films?filters[studio][name]=Studio 8',
    ...(dialect === 'mysql' ? [] : ['articles?sort=publishedAt:desc']),
  ]
  let sections: readonly string[] = []
  beforeAll(async () => {
    await migrate({ contentTypes: types, database: world.config })
    await fill(world.knex, dialect)
    const asked = queries.map((query) => `${query}&${uncounted}`)
    const printed = await advise({ database: world.config, textMatching }, asked, true)
    sections = printed.split(/^(?=-- (?:articles|pages|films)\?)/m)
  }, 240_000)

  it.each(queries.map((query, at) => [query, at] as const))(
    '%s reads or sorts many rows until its index is created',
    (query, at) => {
      const [before = '', withIndex = ''] = (sections[at] ?? '').split('-- The plan with the index:')
      const after = withIndex.replace(/^-- This query does not use .*$/gm, '')
      const [plan = '', ...statements] = before.split(/^create index /m)
      expect(plan).toContain(`-- ${query}&`)
      const names = statements.map((statement) => /(\w+)["`] on /.exec(statement)?.[1] ?? statement)
      expect(names.length).toBe(query.includes('studio') ? 2 : 1)
      for (const own of names) {
        expect(plan).not.toContain(own)
        expect(after).toContain(own)
      }
      expect(slowSteps(plan, dialect)).not.toEqual([])
      expect(slowSteps(after, dialect)).toEqual([])
    },
  )

  it('leave a list by id as it is', async () => {
    const plan = await advise({ database: world.config, textMatching }, [`articles?${uncounted}`], false)
    expect(plan).toContain('No index is missing.')
    expect(slowSteps(plan, dialect).filter((step) => step.includes('t2'))).toEqual([])
  })

  it('says where the database has no index', async () => {
    const remark = 'because MySQL and MariaDB have no index of code points'
    const title = await advise({ database: world.config }, ['articles?sort=title:desc'], false)
    expect(title.includes(remark)).toBe(dialect === 'mysql')
    const published = await advise({ database: world.config }, ['articles?sort=publishedAt'], false)
    expect(published.includes('No index helps sort=publishedAt on this database')).toBe(dialect === 'mysql')
  })
})

describeOn(['postgres'])('with hypothetical indexes on %s', (name) => {
  const world = testDatabase(name).fresh()
  beforeAll(async () => {
    await world.knex.raw('create table studios (studio_id integer not null primary key, name varchar(100))')
    await world.knex.raw(
      'create table films (film_id integer not null primary key, film_name varchar(100), minutes integer, studio_id integer)',
    )
    await world.knex.raw(
      `insert into films (film_id, minutes) ${numbers} select n, n * 7919 % 20000 from numbers`,
    )
    await world.knex.raw('analyze films')
    // Real indexes stand in for those of hypopg, which exist for plans alone.
    await world.knex.raw(
      `create function hypopg_create_index(made text) returns void language plpgsql as $$ begin execute made; end $$;
       create function hypopg_reset() returns void language sql as 'drop index cr_films_minutes_nulls_first'`,
    )
  }, 120_000)

  it('prints the estimated cost, and keeps none of the indexes', async () => {
    const contentTypes = [
      existing('film', 'film_id', { minutes: integer }),
    ] as unknown as ContentRouterConfig['contentTypes']
    const asked = [`films?sort=minutes&${uncounted}`]
    const printed = await advise({ contentTypes, database: world.config }, asked, false)
    const [, after, before] = /^-- Estimated cost: ([\d.]+) instead of ([\d.]+)\.$/m.exec(printed) ?? []
    expect(Number(after)).toBeLessThan(Number(before) / 2)
    expect(printed).toMatch(/^create index concurrently "cr_films_minutes_nulls_first" on "films"/m)
    expect(await world.knex('pg_indexes').where({ tablename: 'films' }).pluck('indexname')).toEqual([
      'films_pkey',
    ])
  })
})
