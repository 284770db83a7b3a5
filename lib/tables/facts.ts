import { createHash } from 'node:crypto'
import { type Database, isDrift } from '../database'
import { readColumns } from './read-tables'
import { tableDialectOf } from './table-dialect'

/** Strapi's settings, as JSON text. */
export const settingsTable = 'strapi_core_store_settings'
export const defaultLocaleKey = 'plugin_i18n_default_locale'

/** Undefined if it is no JSON. Some drivers parse it. */
export function parsedJson(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}

export async function readSetting({ knex }: Database, key: string): Promise<unknown> {
  const rows: readonly { readonly value: unknown }[] = await knex(settingsTable)
    .select('value')
    .where({ key })
    .limit(1)
  return parsedJson(rows[0]?.value)
}

type TableFacts = ReadonlyMap<string, ReadonlyMap<string, string>>

export interface Facts {
  readonly tables: TableFacts
  /** A hash of tables, columns and types. */
  readonly shape: string
  /** Null if it is not needed. */
  readonly defaultLocale: string | null
}

/** Null if there is none. */
export async function readDefaultLocale(database: Database, tables: TableFacts): Promise<string | null> {
  // A read distinguishes a missing right from a missing table.
  if (!tableDialectOf(database).hidesDenied && !tables.has(settingsTable)) return null
  try {
    const locale = await readSetting(database, defaultLocaleKey)
    return typeof locale === 'string' ? locale : null
  } catch (error) {
    if (isDrift(error)) return null
    throw error
  }
}

export async function readFacts(database: Database): Promise<Facts> {
  const tables = await readColumns(database)
  const columns = [...tables].map(([table, own]) => [table, [...own]] as const)
  return {
    tables,
    shape: createHash('sha1').update(JSON.stringify(columns)).digest('base64url'),
    defaultLocale: null,
  }
}
