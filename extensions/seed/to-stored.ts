import type { DialectName } from '../../lib/database'
import { isDay, isInYears, type PhysicalType } from '../../lib/schema'
import type { ContentValue } from './content'

/** A value in the form that a driver writes. */
export type StoredValue = string | number | boolean | null

/** Null if a column of this type cannot hold the value. */
type Store = (value: ContentValue, dialect: DialectName) => StoredValue | null

interface Kind {
  readonly expected: string
  readonly store: Store
}

const instantForm = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/
const timeForm = /^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,3})?)?$/
const emptyTime = '00:00:00.000'

export function readInstant(value: ContentValue): Date | null {
  const isInstant =
    value instanceof Date ||
    (typeof value === 'string' && instantForm.test(value) && isDay(value.slice(0, 10)))
  const instant = isInstant ? new Date(value) : null
  return instant !== null && isInYears(instant.getTime()) ? instant : null
}

/** SQLite stores an instant as milliseconds; the servers have no time zone in these columns and get UTC. */
function storeInstant(value: ContentValue, dialect: DialectName): StoredValue | null {
  const instant = readInstant(value)
  if (instant === null) return null
  return dialect === 'sqlite' ? instant.getTime() : instant.toISOString().slice(0, 23).replace('T', ' ')
}

function storeDate(value: ContentValue): StoredValue | null {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return null
  return isDay(value) && !value.startsWith('0000') ? value : null
}

function storeTime(value: ContentValue): StoredValue | null {
  if (typeof value !== 'string' || !timeForm.test(value)) return null
  return value + emptyTime.slice(value.length)
}

function storeBigInteger(value: ContentValue): StoredValue | null {
  const isExact = typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value))
  const text = isExact ? String(value) : value
  if (typeof text !== 'string' || !/^-?\d+$/.test(text)) return null
  return BigInt.asIntN(64, BigInt(text)) === BigInt(text) ? text : null
}

/** Strapi writes a bare scalar into SQLite: `false` becomes 0 there, and a string has no quotes. */
function storeJson(value: ContentValue, dialect: DialectName): StoredValue | null {
  if (dialect === 'sqlite' && typeof value === 'string') return value
  if (dialect === 'sqlite' && typeof value === 'boolean') return Number(value)
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part))
}

function storeBoolean(value: ContentValue, dialect: DialectName): StoredValue | null {
  if (typeof value !== 'boolean') return null
  return dialect === 'sqlite' ? Number(value) : value
}

const storeNumber: Store = (value) => (typeof value === 'number' && Number.isFinite(value) ? value : null)
const storeNothing: Store = () => null

const kinds: Readonly<Record<PhysicalType, Kind>> = {
  string: {
    expected: 'a string of at most 255 characters',
    store: (value) => (typeof value === 'string' && Array.from(value).length <= 255 ? value : null),
  },
  text: { expected: 'a string', store: (value) => (typeof value === 'string' ? value : null) },
  integer: {
    expected: 'an integer of 32 bits',
    store: (value) => (typeof value === 'number' && (value | 0) === value ? value : null),
  },
  biginteger: { expected: 'an integer of 64 bits, preferably as a string', store: storeBigInteger },
  float: { expected: 'a number', store: storeNumber },
  decimal: { expected: 'a number', store: storeNumber },
  boolean: { expected: 'true or false', store: storeBoolean },
  date: { expected: 'a date such as 2024-05-31', store: storeDate },
  time: { expected: 'a time such as 09:30 or 09:30:00.000', store: storeTime },
  datetime: { expected: 'an instant such as 2024-05-31T09:30:00.000Z', store: storeInstant },
  timestamp: { expected: 'an instant such as 2024-05-31T09:30:00.000Z', store: storeInstant },
  json: { expected: 'JSON', store: storeJson },
  increments: { expected: 'no value, because seed assigns ids', store: storeNothing },
  key: { expected: 'no value, because relations set this column', store: storeNothing },
  order: { expected: 'no value, because the order of the list sets this column', store: storeNothing },
  uuid: { expected: 'no value, because relations set this column', store: storeNothing },
}

export type StoredOrNot = { readonly stored: StoredValue } | { readonly expected: string }

export function toStored(value: ContentValue, type: PhysicalType, dialect: DialectName): StoredOrNot {
  if (value === null) return { stored: null }
  const { expected, store } = kinds[type]
  const stored = store(value, dialect)
  return stored === null ? { expected } : { stored }
}
