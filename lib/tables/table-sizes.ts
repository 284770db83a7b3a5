import { createHash } from 'node:crypto'
import type { Database, DialectName } from '../database'
import type { RunSql } from '../freshness'
import type { TableNeeds } from './needs'
import { isReadInPostgres } from './read-tables'

/**
 * A table counts as one that holds as many rows as this, the next above its own number. So coarse, as prices tell of it,
 * and of rows that who is told may not read: drafts, and what a table holds for other types.
 */
const classes = [1000, 4000, 16_000] as const

const [, , largest] = classes

/** What is beyond the classes, or could not be told, counts as what prices were measured among. */
const unknown = 20_000

/** Before PostgreSQL has cleaned up, rows that are gone are passed one by one. So many can be no rows: a page holds one at least. */
const mostBytes = largest * 8192

export interface TableSizes {
  /** Equal for tables of equal classes. */
  readonly key: string
  /** About how many rows the table holds: no fewer, unless it holds more than the largest number that is told. */
  readonly of: (table: string) => number
}

const classOf = (rows: number): number => classes.find((most) => rows <= most) ?? unknown

function tableSizes(counted: ReadonlyMap<string, number>): TableSizes {
  const sizes = new Map([...counted].map(([table, rows]) => [table, classOf(rows)]))
  const told = JSON.stringify([...sizes].filter(([, size]) => size !== unknown).sort())
  return {
    key: createHash('sha1').update(told).digest('base64url'),
    of: (table) => sizes.get(table) ?? unknown,
  }
}

export const unknownSizes: TableSizes = tableSizes(new Map())

/** Without views: what it takes to count one, nobody knows. */
const tableStatements: Readonly<Record<DialectName, string>> = {
  sqlite: `select name from sqlite_master where type = 'table'`,
  mysql: `select table_name as name from information_schema.tables
    where table_schema = database() and table_type = 'BASE TABLE'`,
  postgres: `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where ${isReadInPostgres} and c.relkind = 'r'`,
}

/** Counted no further than it matters: estimates of the databases are a day old, or of other tables than these by then. */
function countStatement({ knex, dialect }: Database, table: string, place: number): string {
  const most = String(largest + 1)
  const counted = knex.raw(`select count(*) from (select 1 as one from ?? limit ${most}) as first`, [table])
  const number = `(${counted.toQuery()})`
  if (dialect !== 'postgres') return `select ${String(place)} as place, ${number} as counted`
  const bytes = knex.raw('pg_relation_size(?::regclass)', [`"${table.replaceAll('"', '""')}"`])
  const either = `case when ${bytes.toQuery()} > ${String(mostBytes)} then ${most} else ${number} end`
  return `select ${String(place)} as place, ${either} as counted`
}

/** In one statement. SQLite puts no more than 500 together. */
const together = 100

async function countTables(
  run: RunSql,
  database: Database,
  tables: readonly string[],
): Promise<[string, number][]> {
  const statements = tables.map((table, place) => countStatement(database, table, place))
  const rows = await run(statements.join(' union all '))
  return rows.map(([place, counted]) => [tables[Number(place)] ?? '', Number(counted)])
}

/** Approximate numbers of rows in the needed tables. */
export async function readTableSizes(
  run: RunSql,
  database: Database,
  { columns: wanted }: Pick<TableNeeds, 'columns'>,
): Promise<TableSizes> {
  const there = await run(tableStatements[database.dialect])
  const tables = there.map(([name]) => String(name)).filter((name) => wanted.has(name))
  const counted: [string, number][] = []
  for (let at = 0; at < tables.length; at += together)
    counted.push(...(await countTables(run, database, tables.slice(at, at + together))))
  return tableSizes(new Map(counted))
}
