import { createHash } from 'node:crypto'
import type { Database } from '../database'
import { readColumns } from './read-tables'

/** The declared type of each column, by table. */
type TableFacts = ReadonlyMap<string, ReadonlyMap<string, string>>

/** What only the database knows. */
export interface Facts {
  readonly tables: TableFacts
  /** Equal for equal tables and columns, and types of columns. */
  readonly shape: string
  /** Where Strapi's settings hold one. */
  readonly defaultLocale: string | null
}

const settings = 'strapi_core_store_settings'

/** Strapi keeps a setting as JSON text. */
function parseLocale(value: unknown): string | null {
  if (typeof value !== 'string') return null
  try {
    const locale: unknown = JSON.parse(value)
    return typeof locale === 'string' ? locale : null
  } catch {
    return null
  }
}

/** The default locale where Strapi's settings hold one. */
export async function readDefaultLocale({ knex }: Database, tables: TableFacts): Promise<string | null> {
  const columns = tables.get(settings)
  if (columns?.has('key') !== true || !columns.has('value')) return null
  const rows = (await knex(settings)
    .select('value')
    .where({ key: 'plugin_i18n_default_locale' })
    .limit(1)) as {
    value: unknown
  }[]
  return parseLocale(rows[0]?.value)
}

export async function readFacts(database: Database): Promise<Facts> {
  const tables = await readColumns(database)
  const columns = [...tables].map(([table, own]) => [table, [...own]] as const)
  return {
    tables,
    shape: createHash('sha1').update(JSON.stringify(columns)).digest('base64url'),
    defaultLocale: await readDefaultLocale(database, tables),
  }
}
