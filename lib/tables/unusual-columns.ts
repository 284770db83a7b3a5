import type { Database, DialectName } from '../database'
import { type ColumnRow, isReadInPostgres, rowsOf } from './read-tables'

type UnusualColumn = Pick<ColumnRow, 'table_name' | 'column_name'>

/**
 * Neither Strapi nor `migrate` creates such columns: types that show other values than they compare, and indexes, character sets
 * and collations with which an index finds or sorts other rows than a scan.
 */
const statements: Readonly<Record<Exclude<DialectName, 'sqlite'>, string>> = {
  mysql: `select c.table_name as table_name, c.column_name as column_name from information_schema.columns c
    left join (select distinct table_name as whose, column_name as own from information_schema.statistics
      where table_schema = database() and sub_part is not null) as b on b.whose = c.table_name and b.own = c.column_name
    where c.table_schema = database() and (b.own is not null or c.data_type in ('float', 'year', 'enum', 'set', 'char')
      or c.character_set_name not like 'utf8%' or c.collation_name regexp 'uca1400.*_cs$')`,
  postgres: `select c.relname as table_name, a.attname as column_name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
      left join pg_collation o on o.oid = a.attcollation cross join lateral (
        with recursive domain as (select t.* from pg_type t where t.oid = a.atttypid
          union all select t.* from domain join pg_type t on t.oid = domain.typbasetype)
        select typname from domain where typbasetype = 0) as base
    where ${isReadInPostgres} and c.relkind in ('r', 'p', 'v', 'm', 'f') and a.attnum > 0 and not a.attisdropped
      and (base.typname = 'bpchar' or not coalesce(o.collisdeterministic, true))`,
}

/** `table.column` of each. */
export async function unusualColumns(database: Database): Promise<ReadonlySet<string>> {
  const { dialect } = database
  if (dialect === 'sqlite') return new Set()
  const rows = await rowsOf<UnusualColumn>(database, statements[dialect])
  return new Set(rows.map(({ table_name: table, column_name: column }) => `${table}.${column}`))
}
