import type { Database, DialectName } from '../database'
import type { Schema } from '../schema'
import { strapiTables } from './content-tables'
import { isReadInPostgres, rowsOf } from './read-tables'

interface Unsteady {
  readonly table_name: string
}

/**
 * Files are read from the state in which each is first met; those of `temp` are the connection's own. A view of PostgreSQL and a
 * table with parts may lead to tables that lie elsewhere; what a materialized view holds lies here.
 */
const statements: Readonly<Record<DialectName, string>> = {
  sqlite: `with found as (
      select t.name, t.type, t.schema, row_number() over (
        partition by lower(t.name) order by case t.schema when 'temp' then -1 else d.seq end) as place
      from pragma_table_list t join pragma_database_list d on d.name = t.schema)
    select name as table_name from found
    where place = 1 and (type = 'virtual' or schema not in ('main', 'temp')) order by name`,
  mysql: `select t.table_name as table_name from information_schema.tables t
    where t.table_schema = database() and t.engine is not null and t.engine not in (
      select engine from information_schema.engines where transactions = 'YES') order by t.table_name`,
  postgres: `with recursive reads (table_name, oid) as (
      select c.relname, c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace where ${isReadInPostgres}
      union select reads.table_name, next.oid from reads cross join lateral (
        select inhrelid from pg_inherits where inhparent = reads.oid
        union all select d.refobjid from pg_rewrite r join pg_depend d
          on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid and d.refclassid = 'pg_class'::regclass
        where r.ev_class = reads.oid and exists (select from pg_class v where v.oid = reads.oid and v.relkind = 'v')
      ) as next (oid))
    select distinct table_name from reads join pg_class c on c.oid = reads.oid and c.relkind = 'f' order by table_name`,
}

/** The tables of the types that a transaction does not show in the state of all others. */
export async function unsteadyTables(database: Database, schema: Schema): Promise<readonly string[]> {
  const rows = await rowsOf<Unsteady>(database, statements[database.dialect])
  // Their names are the same whatever columns there are.
  const own = new Set(strapiTables(schema, new Map()).map(({ table }) => table))
  return rows.map(({ table_name: table }) => table).filter((table) => own.has(table))
}
