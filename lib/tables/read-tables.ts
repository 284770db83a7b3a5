import { type Database, type DialectName, driverOf } from '../database'
import { once } from '../memory'

export interface ActualIndex {
  readonly name: string
  /** Empty for an index over part of the rows, or over an expression first: no read may count on it. */
  readonly columns: readonly string[]
}

export interface ActualTable {
  /** The declared type by column, in the table's order. */
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

/** Of a name that stands in several files the one that reading finds: `pragma_table_xinfo` looks as a statement does. */
const sqliteTables = `(select distinct name from pragma_table_list where name not like 'sqlite!_%' escape '!')`

/** Of several schemas' tables of one name the one that a statement finds. */
export const isReadInPostgres = `(n.nspname = any (current_schemas(false)) and pg_table_is_visible(c.oid))`

/** Views count as tables, and what is worked out as a column: a type may be read from either. */
const columnStatements: Readonly<Record<DialectName, string>> = {
  sqlite: `select m.name as table_name, c.name as column_name, c.type as column_type
    from ${sqliteTables} m join pragma_table_xinfo(m.name) c where c.hidden <> 1 order by m.name, c.cid`,
  mysql: `select table_name as table_name, column_name as column_name, column_type as column_type
    from information_schema.columns where table_schema = database() order by table_name, ordinal_position`,
  postgres: `select c.relname as table_name, a.attname as column_name, format_type(a.atttypid, a.atttypmod) as column_type
    from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
    where ${isReadInPostgres} and c.relkind in ('r', 'p', 'v', 'm', 'f')
      and a.attnum > 0 and not a.attisdropped order by c.relname, a.attnum`,
}

const indexStatements: Readonly<Record<DialectName, string>> = {
  sqlite: `select m.name as table_name, l.name as index_name, case l.partial when 0 then i.name end as column_name
    from ${sqliteTables} m join pragma_index_list(m.name) l join pragma_index_info(l.name) i
    order by m.name, l.name, i.seqno`,
  mysql: `select table_name as table_name, index_name as index_name, column_name as column_name
    from information_schema.statistics where table_schema = database() order by table_name, index_name, seq_in_index`,
  postgres: `select c.relname as table_name, ic.relname as index_name,
      case when i.indpred is null then a.attname end as column_name
    from pg_index i join pg_class c on c.oid = i.indrelid join pg_class ic on ic.oid = i.indexrelid
      join pg_namespace n on n.oid = c.relnamespace
      cross join lateral unnest(i.indkey) with ordinality as k (number, place)
      left join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number
    where ${isReadInPostgres} order by c.relname, ic.relname, k.place`,
}

export async function rowsOf<Row>(database: Database, statement: string): Promise<readonly Row[]> {
  return driverOf(database).rowsIn(await database.knex.raw(statement)) as readonly Row[]
}

/** Every table of the database with its columns, in one statement. */
export async function readColumns(database: Database): Promise<ActualColumns> {
  const tables = new Map<string, Map<string, string>>()
  for (const row of await rowsOf<ColumnRow>(database, columnStatements[database.dialect])) {
    once(tables, row.table_name, () => new Map<string, string>()).set(row.column_name, row.column_type)
  }
  return tables
}

/** Columns up to the first expression: what comes behind one serves no plain read. */
function leadingColumns(columns: readonly (string | null)[]): readonly string[] {
  const end = columns.indexOf(null)
  return (end === -1 ? columns : columns.slice(0, end)) as string[]
}

async function readIndexes(database: Database): Promise<ReadonlyMap<string, readonly ActualIndex[]>> {
  const tables = new Map<string, Map<string, (string | null)[]>>()
  for (const row of await rowsOf<IndexRow>(database, indexStatements[database.dialect])) {
    const indexes = once(tables, row.table_name, () => new Map<string, (string | null)[]>())
    once(indexes, row.index_name, () => []).push(row.column_name)
  }
  const listed = (indexes: ReadonlyMap<string, (string | null)[]>): ActualIndex[] =>
    [...indexes].map(([name, columns]) => ({ name, columns: leadingColumns(columns) }))
  return new Map([...tables].map(([table, indexes]) => [table, listed(indexes)]))
}

/** Every table of the database with its columns and indexes, in two statements. */
export async function readTables(database: Database): Promise<ActualTables> {
  const columns = await readColumns(database)
  const indexes = await readIndexes(database)
  return new Map(
    [...columns].map(([table, own]) => [table, { columns: own, indexes: indexes.get(table) ?? [] }]),
  )
}

/**
 * A table takes character set and collation from its database, as Strapi's do; only where that could not hold every
 * character is it given its own.
 */
export async function readTableOptions(database: Database): Promise<string> {
  if (database.dialect !== 'mysql') return ''
  const rows = await rowsOf<{ charset: string }>(database, 'select @@character_set_database as charset')
  return rows[0]?.charset === 'utf8mb4'
    ? ' engine = InnoDB'
    : ' engine = InnoDB default character set utf8mb4'
}
