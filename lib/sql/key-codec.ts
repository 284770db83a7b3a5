import type { CursorKey } from '../query'
import { type ColumnType, isDay } from '../schema'
import { type Sql, sql, type Matching } from './statement'

type Key = NonNullable<CursorKey>

/** Sort keys outside of the database, without loss on the way out and back. */
export interface KeyCodec {
  readonly read: (key: Sql, type: ColumnType) => Sql
  readonly decode: (value: unknown, type: ColumnType) => CursorKey
  /** True if the database can compare the key with the type. Cursors come from clients. */
  readonly fits: (type: ColumnType, key: Key, matching: Matching) => boolean
  readonly operand: (key: Key, type: ColumnType) => Sql
}

const digits = /^-?\d{1,19}$/
const decimal = /^-?\d{1,35}(\.\d{1,30})?$/
const exponent = /^-?\d{1,310}(\.\d{1,350})?(e[+-]?\d{1,3})?$/i
const infinite = ['NaN', 'Infinity', '-Infinity']

const isInt64 = (text: string): boolean =>
  digits.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text)

const isDouble = (text: string): boolean =>
  infinite.includes(text) || (exponent.test(text) && Number.isFinite(Number(text)))

/** Year 0 is not supported by all databases. */
const isDate = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !text.startsWith('0000') && isDay(text)

const isTime = (text: string): boolean => /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?$/.test(text)

const isZone = (text: string): boolean => /^([+-](0\d|1[0-4])(:[0-5]\d)?)?$/.test(text)

function isInstant(text: string): boolean {
  const [, day = '', time = '', zone = ''] = /^(\S+) ([\d:.]+)(\S*)$/.exec(text) ?? []
  return isDate(day) && isTime(time) && isZone(zone)
}

type FitsKey = (key: Key) => boolean

const fitsInteger: FitsKey = ({ is, value }) => is === 'number' && isInt64(value)
const fitsInstant: FitsKey = ({ is, value }) => is === 'text' && isInstant(value)

const fitsType: Readonly<Record<ColumnType, FitsKey>> = {
  id: fitsInteger,
  integer: fitsInteger,
  biginteger: fitsInteger,
  boolean: fitsInteger,
  float: ({ is, value }) => is === 'number' && isDouble(value),
  decimal: ({ is, value }) => is === 'number' && (value === 'NaN' || decimal.test(value)),
  date: ({ is, value }) => is === 'text' && isDate(value),
  time: ({ is, value }) => is === 'text' && isTime(value),
  datetime: fitsInstant,
  timestamp: fitsInstant,
  string: ({ is }) => is === 'text',
  json: () => false,
}

const asBytes = (value: Buffer): Key => ({ is: 'bytes', value: value.toString('base64') })

const bytesOf = ({ value }: Key): Buffer => Buffer.from(value, 'base64')

const numbers = new Set<ColumnType>(['id', 'integer', 'biginteger', 'float', 'decimal', 'boolean'])

const textOf = (value: unknown): string => String(value)

/** A column of any type may hold values of any kind, and the kind decides the order. */
export const sqliteKeys: KeyCodec = {
  read: (key) =>
    sql(
      `case typeof(?) when 'integer' then 'n' || ? when 'text' then 't' || ? else ? end`,
      Array(4).fill(key),
    ),
  decode: (value) => {
    if (value === null) return null
    if (Buffer.isBuffer(value)) return asBytes(value)
    const text = textOf(value)
    if (typeof value === 'number') return { is: 'number', value: text }
    return { is: text.startsWith('n') ? 'number' : 'text', value: text.slice(1) }
  },
  fits: (type, { is, value }) => type !== 'json' && (is !== 'number' || isInt64(value) || isDouble(value)),
  operand: (key) => {
    if (key.is === 'bytes') return sql('?', [bytesOf(key)])
    if (key.is === 'text') return sql('?', [key.value])
    return sql('?', [isInt64(key.value) ? BigInt(key.value) : Number(key.value)])
  },
}

/** TIMESTAMP is compared as seconds. */
const isSeconds = (type: ColumnType): boolean => type === 'timestamp'

/** A FLOAT is shown with six digits unless it becomes a double. */
export const mysqlKeys: KeyCodec = {
  read: (key, type) => (type === 'float' ? sql('? + 0e0', [key]) : key),
  decode: (value, type) => {
    if (value === null) return null
    if (!Buffer.isBuffer(value))
      return { is: numbers.has(type) || isSeconds(type) ? 'number' : 'text', value: textOf(value) }
    const text = value.toString()
    return Buffer.from(text).equals(value) ? { is: 'text', value: text } : asBytes(value)
  },
  fits: (type, key, matching) => {
    if (isSeconds(type)) return key.is === 'number' && decimal.test(key.value)
    // Only byte comparisons accept bytes that are not a text; others fail.
    if (type === 'string' && key.is === 'bytes') return matching === 'exact'
    return fitsType[type](key) && !infinite.includes(key.value)
  },
  operand: (key, type) => {
    const { is, value } = key
    if (is !== 'number') return sql('?', [is === 'bytes' ? bytesOf(key) : value])
    if (type === 'float') return sql('?', [Number(value)])
    if (type === 'decimal' || isSeconds(type)) return sql('cast(? as decimal(65,30))', [value])
    return sql('?', [BigInt(value)])
  },
}

const postgresCasts: Partial<Record<ColumnType, string>> = {
  id: 'cast(? as bigint)',
  integer: 'cast(? as bigint)',
  biginteger: 'cast(? as bigint)',
  float: 'cast(? as double precision)',
  decimal: 'cast(? as numeric)',
  boolean: 'cast(? as boolean)',
}

/** A `real` is shown with fewer digits than it has unless it becomes a double. */
export const postgresKeys: KeyCodec = {
  read: (key, type) => (type === 'float' || type === 'decimal' ? sql('? + 0e0', [key]) : key),
  decode: (value, type) => {
    if (value === null) return null
    const text = type === 'boolean' ? String(Number(value === 't')) : textOf(value)
    return { is: numbers.has(type) ? 'number' : 'text', value: text }
  },
  fits: (type, key) =>
    (['datetime', 'timestamp'].includes(type) && /^-?infinity$/.test(key.value)) ||
    (fitsType[type](key) && !key.value.includes('\0')),
  operand: ({ value }, type) => {
    const text = type === 'boolean' ? String(value !== '0') : value
    return sql(postgresCasts[type] ?? '?', [type === 'float' ? String(Number(text)) : text])
  },
}
