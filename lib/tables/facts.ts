import type { Database } from '../database'
import { readColumns } from './introspect'

export interface Facts {
  /** The columns by table. */
  readonly tables: ReadonlyMap<string, ReadonlySet<string>>
  /** Equal for equal tables and columns. */
  readonly shape: string
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

async function readDefaultLocale({ knex }: Database): Promise<string | null> {
  const rows = (await knex(settings)
    .select('value')
    .where({ key: 'plugin_i18n_default_locale' })
    .limit(1)) as {
    value: unknown
  }[]
  return parseLocale(rows[0]?.value)
}

/** What only the database knows: which columns its tables have, and the default locale where Strapi's settings hold one. */
export async function readFacts(database: Database): Promise<Facts> {
  const columns = await readColumns(database)
  const found = columns.get(settings)
  const known = found !== undefined && found.has('key') && found.has('value')
  const names = [...columns].map(([table, own]) => [table, [...own.keys()]] as const)
  return {
    tables: new Map(names.map(([table, own]) => [table, new Set(own)])),
    shape: JSON.stringify(names),
    defaultLocale: known ? await readDefaultLocale(database) : null,
  }
}
