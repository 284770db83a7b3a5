import type { Knex } from 'knex'
import type { Database } from '../database'
import type { Schema } from '../schema'
import { readDefaultLocale, readFacts } from '../tables'

/** What the database holds before anything is seeded. */
export interface Existing {
  readonly highestIds: ReadonlyMap<string, number>
  readonly locales: readonly string[]
  readonly defaultLocale: string | null
  hasTable(table: string): boolean
  /** Strapi's own component tables have no `document_id`; those of our migrations do. */
  hasDocumentId(table: string): boolean
}

export const localeTable = 'i18n_locale'

function tablesOf(schema: Schema): readonly string[] {
  const models = [...schema.models.values()]
  const joins = models.flatMap(({ physical }) => physical.joinTables.map(({ table }) => table))
  return [...new Set([...models.map(({ table }) => table), ...joins, localeTable])]
}

async function readHighestIds(knex: Knex, tables: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const highestIds = new Map<string, number>()
  for (const table of tables) {
    const row = await knex(table).max<{ highest: number | string | null }[]>('id as highest').first()
    highestIds.set(table, Number(row?.highest ?? 0))
  }
  return highestIds
}

export async function readExisting(database: Database, schema: Schema): Promise<Existing> {
  const { knex } = database
  const { tables } = await readFacts(database)
  const known = tablesOf(schema).filter((table) => tables.has(table))
  const locales = tables.has(localeTable)
    ? await knex<{ id: number; code: string | null }>(localeTable).orderBy('id').select('code')
    : []
  return {
    highestIds: await readHighestIds(knex, known),
    locales: locales.flatMap(({ code }) => code ?? []),
    defaultLocale: await readDefaultLocale(database, tables),
    hasTable: (table) => tables.has(table),
    hasDocumentId: (table) => tables.get(table)?.has('document_id') === true,
  }
}
