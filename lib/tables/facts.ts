import { createHash } from 'node:crypto'
import type { Database } from '../database'
import { readColumns } from './read-tables'
import { defaultLocaleKey, readSetting, settingsTable } from './settings'

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

/** The default locale where Strapi's settings hold one. */
export async function readDefaultLocale(database: Database, tables: TableFacts): Promise<string | null> {
  const columns = tables.get(settingsTable)
  if (columns?.has('key') !== true || !columns.has('value')) return null
  const locale = await readSetting(database, defaultLocaleKey)
  return typeof locale === 'string' ? locale : null
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
