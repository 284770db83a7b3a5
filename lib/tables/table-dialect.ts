import type { DialectName } from '../database'
import type { PhysicalType, ForeignKey, Index, PhysicalColumn } from '../schema'

/** How a user of the database is let read. */
interface ReadGrants {
  /** Lists the schemas that it takes a right to use; null where there are none. */
  readonly schemas: string | null
  /** Tells the name of the database, where one has to stand before that of a table. */
  readonly database: string | null
  readonly quoteUser: (user: string, quote: (name: string) => string) => string
}

export type IndexClause = (name: string, columns: string) => string

/** What differs by the database in its tables. */
export interface TableDialect {
  /** Lists tables with their columns. Views count as tables, and what is worked out as a column: a type may be read from either. */
  readonly columns: string
  readonly indexes: string
  /**
   * Lists columns that neither Strapi nor `migrate` creates: of types that show other values than they compare, and with
   * indexes, character sets and collations by which an index finds or sorts other rows than a scan.
   */
  readonly unusualColumns: string | null
  /** Lists columns that the user may not read, where others are listed beside them. */
  readonly deniedColumns: string | null
  /** Whether nothing is listed that the user may not read. */
  readonly hidesDenied: boolean
  /** Null where there are no users. */
  readonly grants: ReadGrants | null
  /** Around names. */
  readonly quote: '"' | '`'
  /** The types that Strapi 5 gives its columns. */
  readonly types: Readonly<Record<PhysicalType, string>>
  /** What the database may say for JSON, beside its type. */
  readonly reportedJson: string | null
  /** The indexes that stand in `create table`; null for those that are created behind it. */
  readonly indexesInTable: Readonly<Record<'unique' | 'other', IndexClause | null>>
  /** Whether a foreign key may lead to a table that is yet to come, and cannot be added to one that is there. */
  readonly hasKeysAhead: boolean
  /** Whether changes of tables can be taken back. */
  readonly isTransactional: boolean
  /** Tells the character set of new tables, where it matters; null where every character can be stored. */
  readonly characterSet: string | null
  /** Stands behind every `create table` of a database with this character set. */
  readonly tableOptions: (characterSet: string | undefined) => string
}

/** Of a name that stands in several files the one that reading finds: `pragma_table_xinfo` looks as a statement does. */
const sqliteTables = `(select distinct name from pragma_table_list where name not like 'sqlite!_%' escape '!')`

const sqlite: TableDialect = {
  columns: `select m.name as table_name, c.name as column_name, c.type as column_type
    from ${sqliteTables} m join pragma_table_xinfo(m.name) c where c.hidden <> 1 order by m.name, c.cid`,
  indexes: `select m.name as table_name, l.name as index_name, case l.partial when 0 then i.name end as column_name
    from ${sqliteTables} m join pragma_index_list(m.name) l join pragma_index_info(l.name) i
    order by m.name, l.name, i.seqno`,
  unusualColumns: null,
  deniedColumns: null,
  hidesDenied: false,
  grants: null,
  quote: '"',
  types: {
    increments: 'integer not null primary key autoincrement',
    string: 'varchar(255)',
    text: 'text',
    integer: 'integer',
    biginteger: 'bigint',
    float: 'float',
    decimal: 'float',
    boolean: 'boolean',
    date: 'date',
    time: 'time',
    datetime: 'datetime',
    timestamp: 'datetime',
    json: 'json',
    key: 'integer',
    order: 'float',
  },
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
  unusualColumns: `select c.table_name as table_name, c.column_name as column_name from information_schema.columns c
    left join (select distinct table_name as whose, column_name as own from information_schema.statistics
      where table_schema = database() and sub_part is not null) as b on b.whose = c.table_name and b.own = c.column_name
    where c.table_schema = database() and (b.own is not null or c.data_type in ('float', 'year', 'enum', 'set', 'char')
      or c.character_set_name not like 'utf8%' or c.collation_name regexp 'uca1400.*_cs$')`,
  deniedColumns: null,
  hidesDenied: true,
  grants: {
    schemas: null,
    // A table is refused without its database where none is selected.
    database: 'select database() as name',
    // Users are known by name and host: `reader`, `reader@10.0.0.%`.
    quoteUser: (user, quote) => {
      const at = user.includes('@') ? user.lastIndexOf('@') : user.length
      return `${quote(user.slice(0, at))}@${quote(user.slice(at + 1) || '%')}`
    },
  },
  quote: '`',
  // MariaDB takes `json` for longtext with a json_valid check, MySQL 8 has the type.
  types: {
    increments: 'int unsigned not null auto_increment primary key',
    string: 'varchar(255)',
    text: 'longtext',
    integer: 'int',
    biginteger: 'bigint',
    float: 'double',
    decimal: 'decimal(10,2)',
    boolean: 'tinyint(1)',
    date: 'date',
    time: 'time(3)',
    datetime: 'datetime(6)',
    timestamp: 'timestamp(6)',
    json: 'json',
    key: 'int unsigned',
    order: 'double unsigned',
  },
  reportedJson: 'longtext',
  // A foreign key that has no index yet is given one of its own.
  indexesInTable: {
    unique: (name, columns) => `unique key ${name} (${columns})`,
    other: (name, columns) => `key ${name} (${columns})`,
  },
  hasKeysAhead: false,
  isTransactional: false,
  characterSet: 'select @@character_set_database as name',
  /**
   * A table takes character set and collation from its database, as Strapi's do; only where that could not hold every
   * character is it given its own.
   */
  tableOptions: (characterSet) =>
    characterSet === 'utf8mb4' ? ' engine = InnoDB' : ' engine = InnoDB default character set utf8mb4',
}

/** Of several schemas' tables of one name the one that a statement finds. */
const isReadInPostgres = `(n.nspname = any (current_schemas(false)) and pg_table_is_visible(c.oid))`

const postgres: TableDialect = {
  columns: `select c.relname as table_name, a.attname as column_name, format_type(a.atttypid, a.atttypmod) as column_type
    from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
    where ${isReadInPostgres} and c.relkind in ('r', 'p', 'v', 'm', 'f')
      and a.attnum > 0 and not a.attisdropped order by c.relname, a.attnum`,
  indexes: `select c.relname as table_name, ic.relname as index_name,
      case when i.indpred is null then a.attname end as column_name
    from pg_index i join pg_class c on c.oid = i.indrelid join pg_class ic on ic.oid = i.indexrelid
      join pg_namespace n on n.oid = c.relnamespace
      cross join lateral unnest(i.indkey) with ordinality as k (number, place)
      left join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number
    where ${isReadInPostgres} order by c.relname, ic.relname, k.place`,
  unusualColumns: `select c.relname as table_name, a.attname as column_name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
      left join pg_collation o on o.oid = a.attcollation cross join lateral (
        with recursive domain as (select t.* from pg_type t where t.oid = a.atttypid
          union all select t.* from domain join pg_type t on t.oid = domain.typbasetype)
        select typname from domain where typbasetype = 0) as base
    where ${isReadInPostgres} and c.relkind in ('r', 'p', 'v', 'm', 'f') and a.attnum > 0 and not a.attisdropped
      and (base.typname = 'bpchar' or not coalesce(o.collisdeterministic, true))`,
  deniedColumns: `select c.relname as table_name, a.attname as column_name, '' as column_type
  from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
  where ${isReadInPostgres} and c.relkind in ('r', 'p', 'v', 'm', 'f')
    and a.attnum > 0 and not a.attisdropped and not has_column_privilege(c.oid, a.attnum, 'select')`,
  hidesDenied: false,
  grants: {
    schemas: 'select unnest(current_schemas(false))::text as name',
    database: null,
    quoteUser: (user, quote) => quote(user),
  },
  quote: '"',
  types: {
    increments: 'serial primary key',
    string: 'varchar(255)',
    text: 'text',
    integer: 'integer',
    biginteger: 'bigint',
    float: 'double precision',
    decimal: 'numeric(10,2)',
    boolean: 'boolean',
    date: 'date',
    time: 'time',
    datetime: 'timestamp(6)',
    timestamp: 'timestamp(6)',
    json: 'jsonb',
    key: 'integer',
    order: 'double precision',
  },
  reportedJson: null,
  // What is unique is a constraint, as Strapi has it.
  indexesInTable: { unique: (name, columns) => `constraint ${name} unique (${columns})`, other: null },
  hasKeysAhead: false,
  isTransactional: true,
  characterSet: null,
  tableOptions: () => '',
}

const dialects: Readonly<Record<DialectName, TableDialect>> = { sqlite, mysql, postgres }

export const tableDialectOf = ({ dialect }: { readonly dialect: DialectName }): TableDialect =>
  dialects[dialect]

const families = {
  text: ['varchar', 'char', 'text', 'tinytext', 'mediumtext', 'longtext'],
  whole: ['integer', 'smallint', 'mediumint'],
  big: ['bigint'],
  number: ['float', 'double', 'real', 'decimal'],
  boolean: ['boolean', 'tinyint'],
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

/** Widths and signs do not change how a value is read. */
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
  boolean: ['boolean'],
  date: ['date'],
  time: ['time'],
  datetime: ['datetime'],
  timestamp: ['datetime'],
  // MariaDB has no JSON type of its own and reports longtext.
  json: ['json', 'text'],
}

/** Whether values of the column can be read as the definitions say. An unknown type is given the benefit of the doubt. */
export function isReadable(type: PhysicalType, actual: string): boolean {
  const family = familyByType.get(plainType(actual))
  return family === undefined || readableFrom[type].includes(family)
}

/** Whether the column is the one the definitions ask for, or a text column wider than that. */
export function isSameType(dialect: DialectName, type: PhysicalType, actual: string): boolean {
  const [wanted, found] = [plainType(declaredType(dialect, type)), plainType(actual)]
  if (wanted === found) return true
  if (type === 'string') return familyByType.get(found) === 'text'
  return type === 'json' && found === tableDialectOf({ dialect }).reportedJson
}

/** One table as it is meant to be. */
export interface TableLayout {
  readonly table: string
  readonly columns: readonly PhysicalColumn[]
  readonly indexes: readonly Index[]
  readonly foreignKeys: readonly ForeignKey[]
  /** The table has more columns than these, which are of no concern here. */
  readonly isPart?: true
}

/** What a column of this type is declared as, without what makes an id an id. */
export function declaredType(dialect: DialectName, type: PhysicalType): string {
  return tableDialectOf({ dialect }).types[type === 'increments' ? 'key' : type]
}

/** The whole declaration behind a column's name. An explicit null keeps MySQL from making a timestamp `not null`. */
export function columnDeclaration(dialect: DialectName, type: PhysicalType): string {
  const text = tableDialectOf({ dialect }).types[type]
  return type === 'increments' ? text : `${text} null`
}
