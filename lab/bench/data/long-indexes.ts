import type { Knex } from 'knex'
import type { FilledDatabase } from '../measured-databases'

/** Columns of an index of articles, as SQL. */
type Indexes = Readonly<Record<string, string>>

const name = 'bench_long'

/** Only PostgreSQL uses such an index for the condition of lists. */
const publishedOnly = 'where published_at is not null'

/** MySQL and MariaDB use the index of a sort by title with `--matching database` only. */
const common: Indexes = {
  'filters[title]': '(title)',
  'sort=publishedAt:desc': '(published_at desc, id)',
  'sort=title': '(title)',
}

/** The index of each slow request that makes it fast, if there is one. */
const indexes: Readonly<Record<FilledDatabase, Indexes>> = {
  sqlite: common,
  mariadb: common,
  mysql: common,
  postgres: {
    plain: `(id) ${publishedOnly}`,
    'filters[title]': '(title)',
    'sort=publishedAt:desc': '(published_at desc nulls last, id)',
    'sort=title': `(title collate "C" nulls first, id) ${publishedOnly}`,
  },
}

export const indexFor = (database: FilledDatabase, request: string): string | undefined =>
  indexes[database][request]

/** The index exists only during `run`: others could change the plans of other requests. */
export async function withIndex<T>(knex: Knex, columns: string, run: () => Promise<T>): Promise<T> {
  await knex.raw(`create index ${name} on articles ${columns}`)
  try {
    return await run()
  } finally {
    await knex.schema.alterTable('articles', (table) => {
      table.dropIndex([], name)
    })
  }
}
