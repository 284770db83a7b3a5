import { type Database, isDenied, isDrift } from '../database'
import type { Fault } from '../errors'
import { once } from '../memory'
import { type ActualTables, type ColumnRow, isReadInPostgres, rowsOf } from './read-tables'

/** Tables and columns that are going to be read. */
export type WantedColumns = ReadonlyMap<string, readonly string[]>

type Denied = ReadonlyMap<string, ReadonlySet<string>>

const deniedInPostgres = `select c.relname as table_name, a.attname as column_name, '' as column_type
  from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
  where ${isReadInPostgres} and c.relkind in ('r', 'p', 'v', 'm', 'f')
    and a.attnum > 0 and not a.attisdropped and not has_column_privilege(c.oid, a.attnum, 'select')`

async function columnsDeniedInPostgres(database: Database): Promise<Denied> {
  const denied = new Map<string, Set<string>>()
  for (const { table_name, column_name } of await rowsOf<ColumnRow>(database, deniedInPostgres)) {
    once(denied, table_name, () => new Set<string>()).add(column_name)
  }
  return denied
}

/** MySQL and MariaDB list nothing that may not be read; asked for it, they tell it from what is not there. */
async function isDeniedThere(
  { knex }: Database,
  table: string,
  columns: readonly string[],
): Promise<boolean> {
  try {
    await knex
      .select(columns.length === 0 ? knex.raw('1') : [...columns])
      .from(table)
      .limit(0)
    return false
  } catch (error) {
    if (isDenied(error)) return true
    if (isDrift(error)) return false
    throw error
  }
}

async function columnsDeniedInMysql(
  database: Database,
  wanted: WantedColumns,
  actual: ActualTables,
): Promise<Denied> {
  const denied = new Map<string, ReadonlySet<string>>()
  for (const [table, columns] of wanted) {
    const found = actual.get(table)?.columns
    const missing = columns.filter((column) => found?.has(column) !== true)
    if (missing.length === 0) continue
    if (await isDeniedThere(database, table, found === undefined ? [] : missing))
      denied.set(table, new Set(missing))
  }
  return denied
}

async function deniedIn(database: Database, wanted: WantedColumns, actual: ActualTables): Promise<Denied> {
  switch (database.dialect) {
    case 'sqlite':
      return new Map()
    case 'mysql':
      return columnsDeniedInMysql(database, wanted, actual)
    case 'postgres':
      return columnsDeniedInPostgres(database)
  }
}

/** By its table, what is no difference from the definitions: the user of the connection may not read all of it. */
export async function deniedTables(
  database: Database,
  wanted: WantedColumns,
  actual: ActualTables,
): Promise<ReadonlyMap<string, Fault>> {
  const denied = await deniedIn(database, wanted, actual)
  const faults = [...wanted].flatMap(([table, columns]): [string, Fault][] => {
    const own = columns.filter((column) => denied.get(table)?.has(column) === true)
    if (own.length === 0) return []
    const what = own.length === columns.length ? 'this table' : `${own.join(', ')} of this table`
    const remedy = `grant select on ${table} to that user`
    return [[table, { where: table, problem: `the user of the connection may not read ${what}`, remedy }]]
  })
  return new Map(faults)
}
