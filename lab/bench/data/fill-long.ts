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

/** Articles without a difference of size between them: only their number counts. */
export async function fillLong(name: FilledDatabase, config: Knex.Config, documents: number): Promise<void> {
  await migrate({ contentTypes: benchTypes, database: config })
  const knex = makeKnex({ ...config, pool: { min: 1, max: 1 } })
  try {
    await knex.raw(fastFilling[name])
    await makeNumbers(knex, documents * 2)
    for (const [table, [rows, columns]] of Object.entries(tablesOf(documents, now[name]))) {
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
