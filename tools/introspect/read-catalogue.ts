import { type Database, driverOf } from '../../lib/database'
import { catalogueStatements } from './catalogue-statements'

export interface CatalogueColumn {
  readonly name: string
  /** The declared type, such as `character varying(20)`. `denied` if the user may not read the column. */
  readonly type: string
  readonly isRequired: boolean
  /** Values of an enum type of PostgreSQL. */
  readonly enumValues: readonly string[] | null
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
  for (const row of rows) {
    const group = groups.get(groupOf(row))
    if (group === undefined) groups.set(groupOf(row), [row])
    else group.push(row)
  }
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

/** The tables of a database, or of one schema of PostgreSQL, in code point order. */
export async function readCatalogue(
  database: Database,
  schema: string | null,
): Promise<readonly CatalogueTable[]> {
  const statements = catalogueStatements[database.dialect]
  const rowsOf = async <Row>(statement: string, times = 1): Promise<readonly Row[]> => {
    const bindings = Array.from({ length: times }, () => schema) as string[]
    return driverOf(database).rowsIn(await database.knex.raw(statement, bindings)) as readonly Row[]
  }
  const columns = await rowsOf<CatalogueColumnRow>(statements.columns)
  const keys = await rowsOf<KeyRow>(statements.keys, statements.keys.split('?').length - 1)
  const foreignKeys = await rowsOf<ForeignKeyRow>(statements.foreignKeys)
  const tables = groupRows(columns, ({ table }) => table).map((rows): CatalogueTable => {
    const name = rows[0]?.table ?? ''
    const placeOf = (column: string): number => rows.findIndex((row) => row.name === column)
    return {
      name,
      isView: isTrue(rows[0]?.is_view),
      columns: rows.map((row) => ({
        name: row.name,
        type: row.type,
        isRequired: isTrue(row.is_required),
        enumValues: row.enum_values === null ? null : (JSON.parse(row.enum_values) as string[]),
      })),
      keys: keysOf(
        keys.filter((row) => row.table === name),
        placeOf,
      ),
      foreignKeys: [],
    }
  })
  const byName = new Map(tables.map((table) => [table.name, table]))
  return tables
    .map((table) => ({ ...table, foreignKeys: foreignKeysOf(table, foreignKeys, byName) }))
    .sort((one, other) => inCodePoints(one.name, other.name))
}
