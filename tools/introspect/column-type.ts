import type { DialectName } from '../../lib/database'
import type { CatalogueColumn } from './read-catalogue'

export type MappedType =
  | 'string'
  | 'text'
  | 'enumeration'
  | 'integer'
  | 'biginteger'
  | 'decimal'
  | 'float'
  | 'boolean'
  | 'date'
  | 'time'
  | 'datetime'
  | 'timestamp'
  | 'json'

export interface TypedColumn {
  readonly type: MappedType
  readonly enum?: readonly string[]
}

export interface UntypedColumn {
  readonly reason: string
}

const served = (type: MappedType, ...names: readonly string[]): [string, MappedType][] =>
  names.map((name) => [name, type])

const common: readonly [string, MappedType][] = [
  ...served('integer', 'integer', 'int', 'smallint', 'tinyint', 'mediumint'),
  ...served('biginteger', 'bigint'),
  ...served('decimal', 'numeric', 'decimal'),
  ...served('float', 'real', 'float', 'double', 'double precision'),
  ...served('boolean', 'boolean', 'bool', 'tinyint(1)', 'bit(1)'),
  ...served('string', 'varchar', 'char', 'uuid'),
  ...served('text', 'text'),
  ...served('date', 'date'),
  ...served('time', 'time'),
  ...served('datetime', 'datetime'),
  ...served('json', 'json'),
]

const mysqlTypes = new Map([
  ...common,
  ...served('biginteger', 'int unsigned'),
  ...served('integer', 'year'),
  ...served('string', 'set', 'inet4', 'inet6'),
  ...served('text', 'tinytext', 'mediumtext', 'longtext'),
  ...served('timestamp', 'timestamp'),
])

const postgresTypes = new Map([
  ...common,
  ...served(
    'string',
    'character varying',
    'character',
    '"char"',
    'name',
    'citext',
    'inet',
    'cidr',
    'macaddr',
  ),
  ...served('string', 'macaddr8', 'interval', 'money', 'xml', 'ltree'),
  ...served('time', 'time without time zone'),
  ...served('datetime', 'timestamp without time zone'),
  ...served('timestamp', 'timestamp with time zone'),
  ...served('json', 'jsonb'),
])

/** SQLite takes any word for a type: the first pattern wins. */
const sqlitePatterns: readonly (readonly [RegExp, MappedType])[] = [
  [/bool|^tinyint\(1\)|^bit(\(1\))?$/, 'boolean'],
  [/bigint|big int|int8/, 'biginteger'],
  [/int(?!erval)/, 'integer'],
  [/json/, 'json'],
  [/datetime|timestamp/, 'datetime'],
  [/^date$/, 'date'],
  [/^time$/, 'time'],
  [/char|uuid|guid|^enum|^string/, 'string'],
  [/clob|text/, 'text'],
  [/numeric|decimal|money|^number/, 'decimal'],
  [/real|floa|doub/, 'float'],
]

/** SpatiaLite stores places as binary data; `point` contains `int`. */
const isBinary = (type: string): boolean =>
  /blob|binary|bytea|^(multi)?(point|linestring|polygon)|^geom/.test(type)

/** `varchar(20)` is `varchar`; `tinyint(1)` and `bit(1)` differ from other widths. */
function plainName(type: string): string {
  const name = type.replace(/^int(eger)?\(\d+\)/, 'int').replace(/ zerofill/, '')
  if (/^(tinyint|bit)\(1\)/.test(name)) return name
  const bare = name.replace(/\s*\([^)]*\)/, '')
  return bare === 'int unsigned' ? bare : bare.replace(' unsigned', '')
}

function typeOnSqlite(type: string): MappedType | undefined {
  return isBinary(type) ? undefined : sqlitePatterns.find(([pattern]) => pattern.test(type))?.[1]
}

function typeOnPostgres(type: string): MappedType | undefined {
  return type.endsWith('[]') ? 'json' : postgresTypes.get(plainName(type))
}

/** Quotes are doubled in `enum('it''s')`. */
const valuesIn = (declared: string): readonly string[] =>
  [...declared.matchAll(/'((?:[^']|'')*)'/g)].map(([, value = '']) => value.replaceAll("''", "'"))

const typesOf: Readonly<Record<DialectName, (type: string) => MappedType | undefined>> = {
  sqlite: typeOnSqlite,
  mysql: (type) => mysqlTypes.get(plainName(type)),
  postgres: typeOnPostgres,
}

/** The type of the attribute that shows a column, or the reason why no attribute can. */
export function columnType(
  dialect: DialectName,
  { type: declared, enumValues }: CatalogueColumn,
): TypedColumn | UntypedColumn {
  if (enumValues !== null) return { type: 'enumeration', enum: enumValues }
  const type = declared.toLowerCase()
  if (dialect === 'mysql' && type.startsWith('enum('))
    return { type: 'enumeration', enum: valuesIn(declared) }
  const found = typesOf[dialect](type)
  if (found !== undefined) return { type: found }
  if (type === 'denied') return { reason: 'this database user may not read the column' }
  if (type === '') return { reason: 'the column has no declared type' }
  return { reason: isBinary(type) ? `${type} holds binary data` : `the type ${type} is not supported` }
}
