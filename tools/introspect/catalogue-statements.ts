import type { DialectName } from '../../lib/database'

/** Each statement has one binding: a schema of PostgreSQL, or null for the default. */
interface CatalogueStatements {
  /** A row for each column: table, is_view, name, type, is_required, enum_values (JSON). */
  readonly columns: string
  /** A row for each column of a unique index: table, name, is_primary, column. */
  readonly keys: string
  /** A row for each column of a foreign key: table, name, column, target, target_column. */
  readonly foreignKeys: string
}

const sqliteTables = `(select name, type from pragma_table_list
  where schema = 'main' and type in ('table', 'view') and name not like 'sqlite!_%' escape '!' and ? is null)`

const sqlite: CatalogueStatements = {
  columns: `select m.name as "table", m.type = 'view' as is_view, c.name, c.type,
      c."notnull" or c.pk > 0 as is_required, null as enum_values
    from ${sqliteTables} m join pragma_table_xinfo(m.name) c where c.hidden <> 1 order by m.name, c.cid`,
  // An integer primary key has no index. An expression has no column name.
  keys: `select m.name as "table", '' as name, 1 as is_primary, c.name as "column", c.pk as place
    from ${sqliteTables} m join pragma_table_xinfo(m.name) c where c.pk > 0
    union all select m.name, l.name, 0, i.name, i.seqno
    from ${sqliteTables} m join pragma_index_list(m.name) l join pragma_index_info(l.name) i
    where l."unique" = 1 and l.partial = 0 and l.origin <> 'pk' order by 1, 2, 5`,
  foreignKeys: `select m.name as "table", f.id as name, f."from" as "column", f."table" as target,
      f."to" as target_column
    from ${sqliteTables} m join pragma_foreign_key_list(m.name) f order by m.name, f.id, f.seq`,
}

const inMysql = `table_schema = database() and ? is null`

const mysql: CatalogueStatements = {
  // MariaDB stores JSON as longtext with a check. Only MariaDB runs the comment.
  columns: `select c.table_name as \`table\`, t.table_type = 'VIEW' as is_view, c.column_name as name,
      case when c.privileges not like '%select%' then 'denied' when c.data_type = 'json' /*M! or c.data_type = 'longtext' and exists (
        select 1 from information_schema.check_constraints k
        where k.constraint_schema = c.table_schema and k.table_name = c.table_name
          and k.check_clause = concat('json_valid(\`', c.column_name, '\`)')) */ then 'json'
        else c.column_type end as type,
      c.is_nullable = 'NO' as is_required, null as enum_values
    from (select * from information_schema.columns where ${inMysql}) c
      join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name
    where t.table_type in ('BASE TABLE', 'SYSTEM VERSIONED', 'VIEW') order by c.table_name, c.ordinal_position`,
  // A null instead of the name of a column: an expression or a prefix.
  keys: `select table_name as \`table\`, index_name as name, index_name = 'PRIMARY' as is_primary,
      case when sub_part is null then column_name end as \`column\`
    from information_schema.statistics where non_unique = 0 and ${inMysql}
    order by table_name, index_name, seq_in_index`,
  foreignKeys: `select table_name as \`table\`, constraint_name as name, column_name as \`column\`,
      case when referenced_table_schema = table_schema then referenced_table_name end as target,
      referenced_column_name as target_column
    from information_schema.key_column_usage where referenced_table_name is not null and ${inMysql}
    order by table_name, constraint_name, ordinal_position`,
}

/** Tables of extensions, and partitions of other tables, are not part of the content. */
const postgresTables = `(select c.oid, c.relname, c.relkind from pg_class c
  where c.relnamespace = (select oid from pg_namespace where nspname = coalesce(?::text, current_schema()::text))
    and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
    and not exists (select from pg_depend d
      where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e'))`

const postgres: CatalogueStatements = {
  // The type of a domain is its base type.
  columns: `select c.relname as "table", (c.relkind in ('v', 'm'))::int as is_view, a.attname as name,
      case when not has_column_privilege(c.oid, a.attnum, 'select') then 'denied'
        else format_type(base.oid, case base.oid when a.atttypid then a.atttypmod end) end as type,
      (a.attnotnull or base.is_required)::int as is_required,
      (select json_agg(e.enumlabel order by e.enumsortorder)::text from pg_enum e where e.enumtypid = base.oid)
        as enum_values
    from ${postgresTables} c join pg_attribute a on a.attrelid = c.oid
      cross join lateral (
        with recursive domain as (
          select t.oid, t.typbasetype, t.typnotnull as is_required from pg_type t where t.oid = a.atttypid
          union all select t.oid, t.typbasetype, domain.is_required or t.typnotnull
            from domain join pg_type t on t.oid = domain.typbasetype)
        select oid, is_required from domain where typbasetype = 0) as base
    where a.attnum > 0 and not a.attisdropped order by c.relname, a.attnum`,
  keys: `select c.relname as "table", ic.relname as name, i.indisprimary::int as is_primary, a.attname as "column"
    from ${postgresTables} c join pg_index i on i.indrelid = c.oid join pg_class ic on ic.oid = i.indexrelid
      cross join lateral unnest(i.indkey) with ordinality as k (number, place)
      left join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number
    where i.indisunique and i.indisvalid and i.indpred is null and k.place <= i.indnkeyatts
    order by c.relname, ic.relname, k.place`,
  foreignKeys: `select c.relname as "table", k.conname as name, a.attname as "column",
      case t.relnamespace when o.relnamespace then t.relname end as target, b.attname as target_column
    from ${postgresTables} c join pg_class o on o.oid = c.oid
      join pg_constraint k on k.conrelid = c.oid and k.contype = 'f' and k.conparentid = 0
      join pg_class t on t.oid = k.confrelid
      cross join lateral unnest(k.conkey, k.confkey) with ordinality as p (own, theirs, place)
      join pg_attribute a on a.attrelid = c.oid and a.attnum = p.own
      join pg_attribute b on b.attrelid = t.oid and b.attnum = p.theirs
    order by c.relname, k.conname, p.place`,
}

export const catalogueStatements: Readonly<Record<DialectName, CatalogueStatements>> = {
  sqlite,
  mysql,
  postgres,
}
