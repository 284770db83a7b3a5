import type { DialectName } from '../../lib/database'
import type { ColumnType } from '../../lib/schema'

export type MappedType = Exclude<ColumnType, 'id'> | 'text' | 'enumeration'

/** The type of the attribute that shows a column, or the reason why no attribute can. */
export type ColumnMapping =
  | { readonly type: MappedType; readonly enum?: readonly string[] }
  | { readonly type: null; readonly reason: string }

export const isInstant = ({ type }: ColumnMapping): boolean => type === 'datetime' || type === 'timestamp'

/** Names of types on servers. No two servers mean different types by one name. */
const serverNames: readonly (readonly [MappedType, string])[] = [
  ['integer', 'integer, int, smallint, tinyint, mediumint, year'],
  ['biginteger', 'bigint, int unsigned'],
  ['decimal', 'numeric, decimal'],
  ['float', 'real, float, double, double precision'],
  ['boolean', 'boolean, bool, tinyint(1), bit(1)'],
  ['string', 'varchar, char, character varying, character, "char", name, citext, uuid, set'],
  ['string', 'inet, inet4, inet6, cidr, macaddr, macaddr8, interval, money, xml, ltree'],
  ['text', 'text, tinytext, mediumtext, longtext'],
  ['date', 'date'],
  ['time', 'time, time without time zone'],
  ['datetime', 'datetime, timestamp without time zone'],
  ['timestamp', 'timestamp, timestamp with time zone'],
  ['json', 'json, jsonb'],
]

const serverTypes = new Map(
  serverNames.flatMap(([type, names]) => names.split(', ').map((name) => [name, type] as const)),
)

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

function typeOnServer(type: string): MappedType | undefined {
  return type.endsWith('[]') ? 'json' : serverTypes.get(plainName(type))
}

function typeOnSqlite(type: string): MappedType | undefined {
  return isBinary(type) ? undefined : sqlitePatterns.find(([pattern]) => pattern.test(type))?.[1]
}

/** Quotes are doubled in `enum('it''s')`. */
const valuesIn = (declared: string): readonly string[] =>
  [...declared.matchAll(/'((?:[^']|'')*)'/g)].map(([, value = '']) => value.replaceAll("''", "'"))

/** `declared`: as the database prints it, or `denied`. */
export function columnType(dialect: DialectName, declared: string): ColumnMapping {
  const type = declared.toLowerCase()
  if (dialect === 'mysql' && type.startsWith('enum('))
    return { type: 'enumeration', enum: valuesIn(declared) }
  const found = dialect === 'sqlite' ? typeOnSqlite(type) : typeOnServer(type)
  if (found !== undefined) return { type: found }
  if (type === 'denied') return { type: null, reason: 'the database user is not allowed to read the column' }
  if (type === '') return { type: null, reason: 'the column has no declared type' }
  const reason = isBinary(type) ? `${type} holds binary data` : `the type ${type} is not supported`
  return { type: null, reason }
}
