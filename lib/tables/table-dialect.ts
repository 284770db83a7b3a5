import type { DialectName } from '../database'
import type { JoinTable, PhysicalType } from '../schema'

export type IndexClause = (name: string, columns: string) => string

export interface TableDialect {
  /** Lists tables and views with their columns, computed ones included. */
  readonly columns: string
  readonly indexes: string
  /** Lists columns that are unique by themselves and never NULL, and views, of which that is unknown, with a null. */
  readonly uniqueColumns: string
  /** Lists unusual columns: their values or indexes compare differently from the columns that `migrate` creates. */
  readonly unusualColumns: string | null
  /** Lists columns without a right to read, if others are listed. */
  readonly deniedColumns: string | null
  /** True if denied tables and columns are not listed. */
  readonly hidesDenied: boolean
  readonly quote: '"' | '`'
  /** A second name of the JSON type. */
  readonly reportedJson: string | null
  /** Indexes within `create table`; null for those created later. */
  readonly indexesInTable: Readonly<Record<'unique' | 'other', IndexClause | null>>
  /** True if a foreign key may refer to a later table, and cannot be added to an existing one. */
  readonly hasKeysAhead: boolean
  /** True if table changes can be rolled back. */
  readonly isTransactional: boolean
  /** Returns the character set of new tables; null if it stores every character. */
  readonly characterSet: string | null
  /** The end of each `create table`. */
  readonly tableOptions: (characterSet: string | undefined) => string
}

/** Attached databases may share names; `pragma_table_xinfo` resolves them as statements do. */
const sqliteTables = `(select distinct name from pragma_table_list where name not like 'sqlite!_%' escape '!')`

const sqlite: TableDialect = {
  columns: `select m.name as table_name, c.name as column_name, c.type as column_type
    from ${sqliteTables} m join pragma_table_xinfo(m.name) c where c.hidden <> 1 order by m.name, c.cid`,
  indexes: `select m.name as table_name, l.name as index_name, case l.partial when 0 then i.name end as column_name
    from ${sqliteTables} m join pragma_index_list(m.name) l join pragma_index_info(l.name) i
    order by m.name, l.name, i.seqno`,
  uniqueColumns: `select m.name as table_name, min(c.name) as column_name
    from ${sqliteTables} m join pragma_table_xinfo(m.name) c where c.pk > 0 group by m.name having count(*) = 1
    union select m.name, min(i.name) from ${sqliteTables} m join pragma_index_list(m.name) l
      join pragma_index_info(l.name) i join pragma_table_xinfo(m.name) c on c.name = i.name
      where l."unique" and not l.partial group by m.name, l.name having count(*) = 1 and min(c."notnull" or c.pk)
    union select name, null from pragma_table_list where type = 'view'`,
  unusualColumns: null,
  deniedColumns: null,
  hidesDenied: false,
  quote: '"',
  reportedJson: null,
  indexesInTable: { unique: null, other: null },
  hasKeysAhead: true,
  isTransactional: true,
  characterSet: null,
  tableOptions: () => '',
}

const mysql: TableDialect = {
  columns: `select table_name as table_name, column_name as column_name, column_type as column_type
    from information_schema.columns where table_schema = database() order by table_name, ordinal_position`,
  indexes: `select table_name as table_name, index_name as index_name, column_name as column_name
    from information_schema.statistics where table_schema = database() order by table_name, index_name, seq_in_index`,
  uniqueColumns: `select table_name as table_name, min(column_name) as column_name
    from information_schema.statistics where table_schema = database() and non_unique = 0
    group by table_name, index_name having count(*) = 1 and max(nullable) <> 'YES' and max(sub_part) is null
    union select table_name, null from information_schema.views where table_schema = database()`,
  unusualColumns: `select c.table_name as table_name, c.column_name as column_name from information_schema.columns c
    left join (select distinct table_name as whose, column_name as own from information_schema.statistics
      where table_schema = database() and sub_part is not null) as b on b.whose = c.table_name and b.own = c.column_name
    where c.table_schema = database() and (b.own is not null or c.data_type in ('float', 'year', 'enum', 'set', 'char')
      or c.character_set_name not like 'utf8%' or c.collation_name regexp 'uca1400.*_cs$')`,
  deniedColumns: null,
  hidesDenied: true,
  quote: '`',
  reportedJson: 'longtext',
  // MySQL would add an index for each foreign key.
  indexesInTable: {
    unique: (name, columns) => `unique key ${name} (${columns})`,
    other: (name, columns) => `key ${name} (${columns})`,
  },
  hasKeysAhead: false,
  isTransactional: false,
  characterSet: 'select @@character_set_database as name',
  /** Tables inherit character set and collation, as Strapi's do, unless these cannot store every character. */
  tableOptions: (characterSet) =>
    characterSet === 'utf8mb4' ? ' engine = InnoDB' : ' engine = InnoDB default character set utf8mb4',
}

/** Stands for the schemas that definitions name. */
export const namedSchemas = `'{schemas}'`

/** Tables that a statement finds by name alone, and those of named schemas. */
export const tablesOfPostgres = `pg_class c join pg_namespace n on n.oid = c.relnamespace cross join lateral (values
      (case when n.nspname = any (current_schemas(false)) and pg_table_is_visible(c.oid) then c.relname::text end),
      (case when n.nspname in (${namedSchemas}) then n.nspname || '.' || c.relname end)) as called (name)`
const isReadInPostgres = 'called.name is not null'

const postgres: TableDialect = {
  columns: `select called.name as table_name, a.attname as column_name, format_type(a.atttypid, a.atttypmod) as column_type
    from ${tablesOfPostgres} join pg_attribute a on a.attrelid = c.oid
    where ${isReadInPostgres} and c.relkind in ('r', 'p', 'v', 'm', 'f')
      and a.attnum > 0 and not a.attisdropped order by called.name, a.attnum`,
  indexes: `select called.name as table_name, ic.relname as index_name,
      case when i.indpred is null then a.attname end as column_name
    from ${tablesOfPostgres} join pg_index i on i.indrelid = c.oid join pg_class ic on ic.oid = i.indexrelid
      cross join lateral unnest(i.indkey) with ordinality as k (number, place)
      left join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number
    where ${isReadInPostgres} order by called.name, ic.relname, k.place`,
  uniqueColumns: `select called.name as table_name, a.attname as column_name
    from ${tablesOfPostgres} left join (pg_index i
      join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
        and a.attnotnull and i.indisunique and i.indnkeyatts = 1 and i.indpred is null) on i.indrelid = c.oid
    where ${isReadInPostgres} and (a.attname is not null or c.relkind in ('v', 'm', 'f'))`,
  unusualColumns: `select called.name as table_name, a.attname as column_name
    from ${tablesOfPostgres} join pg_attribute a on a.attrelid = c.oid
      left join pg_collation o on o.oid = a.attcollation cross join lateral (
        with recursive domain as (select t.* from pg_type t where t.oid = a.atttypid
          union all select t.* from domain join pg_type t on t.oid = domain.typbasetype)
        select typname from domain where typbasetype = 0) as base
    where ${isReadInPostgres} and c.relkind in ('r', 'p', 'v', 'm', 'f') and a.attnum > 0 and not a.attisdropped
      and (base.typname = 'bpchar' or not coalesce(o.collisdeterministic, true))`,
  deniedColumns: `select called.name as table_name, a.attname as column_name, '' as column_type
  from ${tablesOfPostgres} join pg_attribute a on a.attrelid = c.oid
  where ${isReadInPostgres} and c.relkind in ('r', 'p', 'v', 'm', 'f')
    and a.attnum > 0 and not a.attisdropped and not has_column_privilege(c.oid, a.attnum, 'select')`,
  hidesDenied: false,
  quote: '"',
  reportedJson: null,
  // Strapi makes constraints of unique indexes.
  indexesInTable: { unique: (name, columns) => `constraint ${name} unique (${columns})`, other: null },
  hasKeysAhead: false,
  isTransactional: true,
  characterSet: null,
  tableOptions: () => '',
}

const dialects: Readonly<Record<DialectName, TableDialect>> = { sqlite, mysql, postgres }

/** Strapi 5's types. MariaDB makes `longtext` with a check of `json`. */
const declarations: Readonly<Record<PhysicalType, Readonly<Record<DialectName, string>>>> = {
  increments: {
    sqlite: 'integer not null primary key autoincrement',
    mysql: 'int unsigned not null auto_increment primary key',
    postgres: 'serial primary key',
  },
  string: { sqlite: 'varchar(255)', mysql: 'varchar(255)', postgres: 'varchar(255)' },
  text: { sqlite: 'text', mysql: 'longtext', postgres: 'text' },
  integer: { sqlite: 'integer', mysql: 'int', postgres: 'integer' },
  biginteger: { sqlite: 'bigint', mysql: 'bigint', postgres: 'bigint' },
  float: { sqlite: 'float', mysql: 'double', postgres: 'double precision' },
  decimal: { sqlite: 'float', mysql: 'decimal(10,2)', postgres: 'numeric(10,2)' },
  boolean: { sqlite: 'boolean', mysql: 'tinyint(1)', postgres: 'boolean' },
  date: { sqlite: 'date', mysql: 'date', postgres: 'date' },
  time: { sqlite: 'time', mysql: 'time(3)', postgres: 'time' },
  datetime: { sqlite: 'datetime', mysql: 'datetime(6)', postgres: 'timestamp(6)' },
  timestamp: { sqlite: 'datetime', mysql: 'timestamp(6)', postgres: 'timestamp(6)' },
  json: { sqlite: 'json', mysql: 'json', postgres: 'jsonb' },
  key: { sqlite: 'integer', mysql: 'int unsigned', postgres: 'integer' },
  order: { sqlite: 'float', mysql: 'double unsigned', postgres: 'double precision' },
  uuid: { sqlite: 'varchar(36)', mysql: 'char(36)', postgres: 'uuid' },
}

export const tableDialectOf = ({ dialect }: { readonly dialect: DialectName }): TableDialect =>
  dialects[dialect]

/** A table of another schema has two names. */
export function quoteName(database: { readonly dialect: DialectName }, name: string): string {
  const { quote } = tableDialectOf(database)
  return quote + name.replaceAll(quote, quote + quote).replaceAll('.', `${quote}.${quote}`) + quote
}

/** `parts`: quoted columns, with collation and direction, or expressions. */
export const createIndex = (
  database: { readonly dialect: DialectName },
  { name, table, parts }: Readonly<Record<'name' | 'table', string>> & { readonly parts: readonly string[] },
): string =>
  `create index ${quoteName(database, name.replaceAll('.', '_'))} on ${quoteName(database, table)} (${parts.join(', ')})`

const families = {
  text: ['varchar', 'char', 'text', 'tinytext', 'mediumtext', 'longtext'],
  whole: ['integer', 'smallint', 'mediumint'],
  big: ['bigint'],
  number: ['float', 'double', 'real', 'decimal'],
  boolean: ['boolean'],
  tiny: ['tinyint'],
  date: ['date'],
  time: ['time'],
  datetime: ['datetime', 'timestamp'],
  zoned: ['timestamp with time zone', 'time with time zone'],
  json: ['json', 'jsonb'],
  listed: ['enum', 'set'],
  array: ['[]'],
  other: ['bit', 'bit varying', 'uuid', 'vector'],
  binary: ['blob', 'tinyblob', 'mediumblob', 'longblob', 'binary', 'varbinary', 'bytea'],
  place: ['geometry', 'point', 'linestring', 'polygon', 'line', 'lseg', 'box', 'path', 'circle'],
  places: ['geomcollection', 'geometrycollection', 'multipoint', 'multilinestring', 'multipolygon'],
} as const

type Family = keyof typeof families

const aliases: Readonly<Record<string, string>> = {
  'character varying': 'varchar',
  character: 'char',
  int: 'integer',
  'double precision': 'double',
  numeric: 'decimal',
  bool: 'boolean',
  'timestamp without time zone': 'timestamp',
  'time without time zone': 'time',
}

/** Widths and signs do not change values. */
function plainType(declared: string): string {
  const name = declared
    .toLowerCase()
    .replace(/\([^)]*\)/g, '')
    .replace(' unsigned', '')
    .trim()
  return name.endsWith('[]') ? '[]' : (aliases[name] ?? name)
}

const familyByType = new Map<string, Family>(
  Object.entries(families).flatMap(([family, types]) =>
    types.map((type) => [type, family as Family] as const),
  ),
)

const readableFrom: Readonly<Record<PhysicalType, readonly Family[]>> = {
  increments: ['whole'],
  key: ['whole'],
  string: ['text', 'listed', 'array'],
  text: ['text', 'listed', 'array'],
  integer: ['whole'],
  biginteger: ['big', 'whole'],
  float: ['number', 'whole'],
  decimal: ['number', 'whole'],
  order: ['number', 'whole'],
  uuid: ['text', 'other'],
  boolean: ['boolean', 'tiny'],
  date: ['date'],
  time: ['time'],
  datetime: ['datetime'],
  timestamp: ['datetime'],
  // MariaDB reports JSON as longtext.
  json: ['json', 'text'],
}

/** Types that Strapi does not create. */
const readableIfExisting: Readonly<Partial<Record<PhysicalType, readonly Family[]>>> = {
  string: ['other'],
  text: ['other'],
  json: ['array'],
  boolean: ['other'],
  timestamp: ['zoned'],
  integer: ['tiny'],
  key: ['tiny'],
}

/** Unknown types are trusted. */
export function isReadable(type: PhysicalType, actual: string, isExisting = false): boolean {
  const family = familyByType.get(plainType(actual))
  if (family === undefined || readableFrom[type].includes(family)) return true
  return isExisting && readableIfExisting[type]?.includes(family) === true
}

/** Wider text columns are allowed. */
export function isSameType(dialect: DialectName, type: PhysicalType, actual: string): boolean {
  const [wanted, found] = [plainType(declaredType(dialect, type)), plainType(actual)]
  if (wanted === found) return true
  if (type === 'string') return familyByType.get(found) === 'text'
  return type === 'json' && found === tableDialectOf({ dialect }).reportedJson
}

export interface TableLayout extends JoinTable {
  /** Other columns of the table are ignored. */
  readonly isPart?: true
}

export const declaredType = (dialect: DialectName, type: PhysicalType): string =>
  declarations[type === 'increments' ? 'key' : type][dialect]

/** MySQL would make a timestamp `not null` without an explicit null. */
export function columnDeclaration(dialect: DialectName, type: PhysicalType): string {
  const text = declarations[type][dialect]
  return type === 'increments' ? text : `${text} null`
}
