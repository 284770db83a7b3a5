import type { Knex } from 'knex'
import type { Database } from '../../lib/database'
import { once } from '../../lib/memory'
import type { Model, Schema } from '../../lib/schema'
import { readDefaultLocale, readFacts } from '../../lib/tables'

export interface ExistingRow {
  readonly id: number
  readonly locale: string | null
  readonly isPublished: boolean
}

type Documents = ReadonlyMap<string, readonly ExistingRow[]>

interface DocumentRow {
  readonly id: number
  readonly document_id: string
  readonly locale: string | null
  readonly published_at: unknown
}

async function readDocuments(knex: Knex, table: string): Promise<Documents> {
  const documents = new Map<string, ExistingRow[]>()
  const rows = await knex<DocumentRow>(table)
    .orderBy('id')
    .select('id', 'document_id', 'locale', 'published_at')
  for (const { id, document_id, locale, published_at } of rows as readonly DocumentRow[])
    once(documents, document_id, () => []).push({ id, locale, isPublished: published_at !== null })
  return documents
}

export interface Existing {
  readonly highestIds: ReadonlyMap<string, number>
  readonly locales: readonly string[]
  readonly defaultLocale: string | null
  readonly hasTable: (table: string) => boolean
  readonly columnsOf: (table: string) => readonly string[]
  /** The rows of a document, for the types of the content. */
  rowsOf(table: string, documentId: string): readonly ExistingRow[]
  documentsOf(table: string): readonly string[]
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

export async function readExisting(
  database: Database,
  schema: Schema,
  updated: readonly Model[],
): Promise<Existing> {
  const { knex } = database
  const { tables } = await readFacts(database)
  const known = tablesOf(schema).filter((table) => tables.has(table))
  const locales = tables.has(localeTable)
    ? await knex<{ id: number; code: string | null }>(localeTable).orderBy('id').select('code')
    : []
  const documents = new Map<string, Documents>()
  for (const { table } of updated)
    if (tables.has(table)) documents.set(table, await readDocuments(knex, table))
  return {
    rowsOf: (table, documentId) => documents.get(table)?.get(documentId) ?? [],
    documentsOf: (table) => [...(documents.get(table)?.keys() ?? [])],
    highestIds: await readHighestIds(knex, known),
    locales: locales.flatMap(({ code }) => code ?? []),
    defaultLocale: await readDefaultLocale(database, tables),
    hasTable: (table) => tables.has(table),
    columnsOf: (table) => [...(tables.get(table)?.keys() ?? [])],
  }
}
