import type { DialectName } from '../database'
import type { PhysicalType, ForeignKey, Index, PhysicalColumn } from '../schema'
import { tableDialectOf } from './table-dialect'

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
