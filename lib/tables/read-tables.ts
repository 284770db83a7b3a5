import { type Database, driverOf } from '../database'
import { once } from '../memory'
import type { Index } from '../schema'
import { namedSchemas, tableDialectOf } from './table-dialect'

/** The columns are empty for partial indexes and expressions, which serve no plain read. */
type ActualIndex = Pick<Index, 'name' | 'columns'>

export interface ActualTable {
  /** Declared types in the table's order. */
  readonly columns: ReadonlyMap<string, string>
  readonly indexes: readonly ActualIndex[]
}

export type ActualTables = ReadonlyMap<string, ActualTable>
export type ActualColumns = ReadonlyMap<string, ReadonlyMap<string, string>>

export interface ColumnRow {
  readonly table_name: string
  readonly column_name: string
  readonly column_type: string
}

interface IndexRow {
  readonly table_name: string
  readonly index_name: string
  readonly column_name: string | null
}

/** `schemas`: those of PostgreSQL that definitions name, besides the search path. */
export async function rowsOf<Row>(
  database: Database,
  statement: string,
  schemas: readonly string[] = [],
): Promise<readonly Row[]> {
  const names = schemas.map((name) => `'${name.replaceAll("'", "''")}'`).join(', ')
  const own = names === '' ? statement : statement.replaceAll(namedSchemas, names)
  return driverOf(database).rowsIn(await database.knex.raw(own)) as readonly Row[]
}

export async function readColumns(
  database: Database,
  schemas: readonly string[] = [],
): Promise<ActualColumns> {
  const tables = new Map<string, Map<string, string>>()
  for (const row of await rowsOf<ColumnRow>(database, tableDialectOf(database).columns, schemas)) {
    once(tables, row.table_name, () => new Map<string, string>()).set(row.column_name, row.column_type)
  }
  return tables
}

async function readIndexes(database: Database, schemas: readonly string[]) {
  const tables = new Map<string, Map<string, string[]>>()
  const ended = new Set<string[]>()
  for (const row of await rowsOf<IndexRow>(database, tableDialectOf(database).indexes, schemas)) {
    const indexes = once(tables, row.table_name, () => new Map<string, string[]>())
    const columns = once(indexes, row.index_name, () => [])
    // Columns behind an expression serve no plain read.
    if (row.column_name === null) ended.add(columns)
    else if (!ended.has(columns)) columns.push(row.column_name)
  }
  return tables
}

export async function readTables(database: Database, schemas: readonly string[] = []): Promise<ActualTables> {
  const columns = await readColumns(database, schemas)
  const indexes = await readIndexes(database, schemas)
  return new Map(
    [...columns].map(([table, own]) => {
      const made = [...(indexes.get(table) ?? [])].map(([name, keys]) => ({ name, columns: keys }))
      return [table, { columns: own, indexes: made }]
    }),
  )
}

/** An index with the wanted name counts, whatever its columns. */
export function isServed(wanted: Index, existing: readonly ActualIndex[]): boolean {
  const begins = (columns: readonly string[]): boolean =>
    wanted.columns.every((column, place) => columns[place] === column)
  return existing.some(({ name, columns }) => name === wanted.name || begins(columns))
}
