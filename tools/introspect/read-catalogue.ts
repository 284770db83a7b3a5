import { type Database, type DialectName, driverOf } from '../../lib/database'
import { once } from '../../lib/memory'
import { catalogueStatements } from './catalogue-statements'
import { type ColumnMapping, columnType } from './column-type'

export interface CatalogueColumn {
  readonly name: string
  /** The declared type, such as `character varying(20)`. `denied` if the user may not read the column. */
  readonly declared: string
  readonly mapping: ColumnMapping
  readonly isRequired: boolean
}

export interface CatalogueForeignKey {
  readonly columns: readonly string[]
  /** Null for a table of another schema. */
  readonly target: string | null
  readonly targetColumns: readonly string[]
}

export interface CatalogueTable {
  readonly name: string
  readonly isView: boolean
  readonly columns: readonly CatalogueColumn[]
  /** Columns of each unique index, the primary key first. */
  readonly keys: readonly (readonly string[])[]
  readonly foreignKeys: readonly CatalogueForeignKey[]
}

interface CatalogueColumnRow {
  readonly table: string
  readonly is_view: unknown
  readonly name: string
  readonly type: string
  readonly is_required: unknown
  /** Values of an enum type of PostgreSQL, as JSON. */
  readonly enum_values: string | null
}

interface KeyRow {
  readonly table: string
  readonly name: string
  readonly is_primary: unknown
  readonly column: string | null
}

interface ForeignKeyRow {
  readonly table: string
  readonly name: string | number
  readonly column: string
  readonly target: string | null
  /** Null in SQLite: the primary key. */
  readonly target_column: string | null
}

const isTrue = (value: unknown): boolean => Number(value) === 1

const inCodePoints = (one: string, other: string): number => (one < other ? -1 : Number(one > other))

/** Keeps the order of the rows of a group. */
function groupRows<Row>(rows: readonly Row[], groupOf: (row: Row) => string): Row[][] {
  const groups = new Map<string, Row[]>()
  for (const row of rows) once(groups, groupOf(row), () => []).push(row)
  return [...groups.values()]
}

function keysOf(rows: readonly KeyRow[], placeOf: (column: string) => number): CatalogueTable['keys'] {
  const rankOf = ([first]: readonly KeyRow[]): number =>
    isTrue(first?.is_primary) ? -1 : placeOf(first?.column ?? '')
  return groupRows(rows, ({ name }) => name)
    .sort((one, other) => rankOf(one) - rankOf(other) || one.length - other.length)
    .map((group) => group.map(({ column }) => column))
    .filter((columns) => columns.every((column) => column !== null))
}

/** SQLite compares names case-insensitively, and so do MySQL and MariaDB on some systems. */
const meantBy = (name: string, names: readonly string[]): string | undefined =>
  names.find((one) => one === name) ?? names.find((one) => one.toLowerCase() === name.toLowerCase())

function foreignKeysOf(
  { name, columns }: CatalogueTable,
  rows: readonly ForeignKeyRow[],
  tables: ReadonlyMap<string, CatalogueTable>,
): readonly CatalogueForeignKey[] {
  const own = columns.map((column) => column.name)
  return groupRows(
    rows.filter((row) => row.table === name),
    (row) => String(row.name),
  )
    .map((group): CatalogueForeignKey => {
      const target = tables.get(meantBy(group[0]?.target ?? '', [...tables.keys()]) ?? '')
      const theirs = target?.columns.map((column) => column.name) ?? []
      return {
        columns: group.map(({ column }) => meantBy(column, own) ?? column),
        target: target?.name ?? null,
        targetColumns: group.map(({ target_column: column }, place) =>
          column === null ? (target?.keys[0]?.[place] ?? '') : (meantBy(column, theirs) ?? column),
        ),
      }
    })
    .sort(
      (one, other) =>
        own.indexOf(one.columns[0] ?? '') - own.indexOf(other.columns[0] ?? '') ||
        inCodePoints(one.target ?? '', other.target ?? ''),
    )
}

function columnOf(dialect: DialectName, row: CatalogueColumnRow): CatalogueColumn {
  const { name, type, is_required: isRequired, enum_values: values } = row
  const mapping: ColumnMapping =
    values === null
      ? columnType(dialect, type)
      : { type: 'enumeration', enum: JSON.parse(values) as readonly string[] }
  return { name, declared: type, mapping, isRequired: isTrue(isRequired) }
}

/** The tables of a database, or of one schema of PostgreSQL, in code point order. */
export async function readCatalogue(
  database: Database,
  schema: string | null,
): Promise<readonly CatalogueTable[]> {
  const { dialect, knex } = database
  const rowsOf = async <Row>(statement: string): Promise<readonly Row[]> => {
    const bindings = Array.from(statement.matchAll(/\?/g), () => schema) as string[]
    return driverOf(database).rowsIn(await knex.raw(statement, bindings)) as readonly Row[]
  }
  const statements = catalogueStatements[dialect]
  const columns = await rowsOf<CatalogueColumnRow>(statements.columns)
  const keys = await rowsOf<KeyRow>(statements.keys)
  const foreignKeys = await rowsOf<ForeignKeyRow>(statements.foreignKeys)
  const tables = groupRows(columns, ({ table }) => table).map((rows): CatalogueTable => {
    const { table: name = '', is_view: isView } = rows[0] ?? {}
    const placeOf = (column: string): number => rows.findIndex((row) => row.name === column)
    const own = keys.filter((row) => row.table === name)
    return {
      ...{ name, isView: isTrue(isView), foreignKeys: [] },
      columns: rows.map((row) => columnOf(dialect, row)),
      keys: keysOf(own, placeOf),
    }
  })
  const byName = new Map(tables.map((table) => [table.name, table]))
  return tables
    .map((table) => ({ ...table, foreignKeys: foreignKeysOf(table, foreignKeys, byName) }))
    .sort((one, other) => inCodePoints(one.name, other.name))
}
