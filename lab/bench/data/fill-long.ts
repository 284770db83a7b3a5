import { knex as makeKnex, type Knex } from 'knex'
import { migrate } from '../../../lib'
import type { FilledDatabase } from '../measured-databases'
import { benchTypes } from './prepare'

export const authors = 500

/** A column of each row, as SQL of the row's number. */
type Columns = Readonly<Record<string, string>>

const now: Readonly<Record<FilledDatabase, string>> = {
  sqlite: '1704067200000',
  mariadb: `'2024-01-01 00:00:00'`,
  mysql: `'2024-01-01 00:00:00'`,
  postgres: `timestamp '2024-01-01 00:00:00'`,
}

export const analyze: Readonly<Record<FilledDatabase, string>> = {
  sqlite: 'analyze',
  mariadb: 'analyze table ??',
  mysql: 'analyze table ??',
  postgres: 'vacuum analyze ??',
}

/** Checks and small caches would make millions of rows slow. */
const fastFilling: Readonly<Record<FilledDatabase, string>> = {
  sqlite: 'pragma cache_size = -1000000',
  mariadb: 'set foreign_key_checks = 0, unique_checks = 0',
  mysql: 'set foreign_key_checks = 0, unique_checks = 0',
  postgres: 'set session_replication_role = replica',
}

/** Doubled, because not every database has a series of numbers. */
export async function makeNumbers(knex: Knex, last: number): Promise<void> {
  await knex.schema.createTable('numbers', (table) => table.bigInteger('n').primary())
  await knex('numbers').insert({ n: 1 })
  for (let made = 1; made < last; made *= 2)
    await knex.raw('insert into ?? select n + ? from ?? where n <= ?', [
      'numbers',
      made,
      'numbers',
      last - made,
    ])
}

const text = (length: number): string => 'words of a long text, '.repeat(length / 20).slice(0, length)

/** Columns and number of rows of each table. Drafts come first, as after a bulk publish. */
function tablesOf(documents: number, at: string): Readonly<Record<string, readonly [number, Columns]>> {
  const article = `((n - 1) % ${String(documents)})`
  const dates = { created_at: at, updated_at: at }
  const published = { ...dates, published_at: at }
  const rows = documents * 2
  const one = { id: 'n', order: '1' }
  return {
    authors: [
      authors,
      {
        id: 'n',
        document_id: `concat('author', n)`,
        name: `concat('Author ', n * 7919 % 500)`,
        ...published,
      },
    ],
    categories: [
      50,
      { id: 'n', document_id: `concat('category', n)`, name: `concat('Category ', n)`, ...published },
    ],
    tags: [300, { id: 'n', document_id: `concat('tag', n)`, name: `concat('Tag ', n)`, ...published }],
    files: [300, { id: 'n', document_id: `concat('file', n)`, name: `concat('File ', n)`, ...published }],
    articles: [
      rows,
      {
        id: 'n',
        document_id: `concat('article', ${article})`,
        title: `concat('Title ', ${article} * 7919 % ${String(documents)})`,
        slug: `concat('article-', ${article})`,
        summary: `'${text(140)}'`,
        body: `'${text(400)}'`,
        views: `${article} * 31 % 100000`,
        rating: `${article} % 50`,
        ...dates,
        published_at: `case when n > ${String(documents)} then ${at} end`,
      },
    ],
    articles_author_lnk: [
      rows,
      { id: 'n', article_id: 'n', author_id: `1 + ${article} * 7 % ${String(authors)}`, article_ord: 'n' },
    ],
    articles_category_lnk: [rows, { id: 'n', article_id: 'n', category_id: `1 + ${article} * 11 % 50` }],
    articles_tags_lnk: [
      rows,
      { id: 'n', article_id: 'n', tag_id: `1 + ${article} * 13 % 300`, tag_ord: '1' },
    ],
    files_related_mph: [
      rows,
      {
        ...one,
        file_id: `1 + ${article} % 300`,
        related_id: 'n',
        related_type: `'api::article.article'`,
        field: `'cover'`,
      },
    ],
    components_shared_seos: [rows, { id: 'n', meta_title: `'Title'`, meta_description: `'${text(100)}'` }],
    articles_cmps: [
      rows,
      { ...one, entity_id: 'n', cmp_id: 'n', component_type: `'shared.seo'`, field: `'seo'` },
    ],
  }
}

async function fillTables(
  name: FilledDatabase,
  config: Knex.Config,
  documents: number,
  tables: ReturnType<typeof tablesOf>,
): Promise<void> {
  await migrate({ contentTypes: benchTypes, database: config })
  const knex = makeKnex({ ...config, pool: { min: 1, max: 1 } })
  try {
    await knex.raw(fastFilling[name])
    await makeNumbers(knex, documents * 2)
    for (const [table, [rows, columns]] of Object.entries(tables)) {
      const names = Object.keys(columns)
      const values = Object.values(columns).join(', ')
      await knex.raw(
        `insert into ?? (${names.map(() => '??').join(', ')}) select ${values} from numbers where n <= ${String(rows)} order by n`,
        [table, ...names],
      )
      await knex.raw(analyze[name], name === 'sqlite' ? [] : [table])
    }
  } finally {
    await knex.destroy()
  }
}

/** Articles without a difference of size between them: only their number counts. */
export const fillLong = (name: FilledDatabase, config: Knex.Config, documents: number): Promise<void> =>
  fillTables(name, config, documents, tablesOf(documents, now[name]))

/** One entry in `size` contains the word `w<size>x<number>` at each place. */
const vocabularies = [20, 300, 3000, 30_000, 200_000]

/** A generator of numbers that look random: each place multiplies by another power of 48,271. */
const modulus = 2_147_483_647n

/** Words of an article, as SQL. PostgreSQL accepts at most 100 arguments of a function. */
function wordsOf(documents: number, places: number): string {
  let factor = 48_271n
  const words = Array.from({ length: places }, (_, place) => {
    factor = (factor * 48_271n) % modulus
    const size = String(vocabularies[place % vocabularies.length])
    const number = `(1 + (n - 1) % ${String(documents)}) * ${String(factor)} % ${String(modulus)} % ${size}`
    return `concat('w${size}x', ${number}, ' ')`
  })
  const half = Math.ceil(places / 2)
  return `concat(${words.slice(0, half).join(', ')}, concat(${words.slice(half).join(', ')}))`
}

/** Authors and articles whose titles have 5 words and whose bodies have 30. */
export async function fillWords(name: FilledDatabase, config: Knex.Config, documents: number): Promise<void> {
  const { authors, articles, articles_author_lnk } = tablesOf(documents, now[name])
  if (authors === undefined || articles === undefined || articles_author_lnk === undefined) return
  const [rows, columns] = articles
  const worded = { ...columns, title: wordsOf(documents, 5), body: wordsOf(documents, 30) }
  await fillTables(name, config, documents, { authors, articles: [rows, worded], articles_author_lnk })
}
