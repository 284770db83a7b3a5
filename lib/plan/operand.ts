import { malformed, type QueryPath } from '../errors'
import { readBoolean } from '../query'
import { type Column, type ColumnType, isDay, isInYears } from '../schema'
import { orFault, type Planning } from './planning'
import type { AskerOperand, Value } from './level'

const dateForm = /^\d{4}-\d{2}-\d{2}/
const timeForm = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,9}))?)?$/
const instantForm =
  /^\d{4}(-\d{2}(-\d{2}([T ]\d{2}(:\d{2}(:\d{2}([.,]\d+)?)?)?(Z|[+-]\d{2}(:?\d{2})?)?)?)?)?$/

const timeOutOfRange = (path: QueryPath): Error =>
  malformed(path, 'Invalid date: the year must be from 1 to 9999')

/** NaN for impossible dates and times. */
function readInstant(text: string): number {
  const [date = '', rest] = text.replace(' ', 'T').replace(',', '.').split('T')
  if (dateForm.test(date) && !isDay(date)) return NaN
  if (rest === undefined) return Date.parse(date)
  const [, time = '', zone = 'Z'] = /^([\d:.]+)(Z|[+-].*)?$/.exec(rest) ?? []
  const clock = /^\d{2}$/.test(time) ? `${time}:00` : time
  const offset = /^[+-]\d{2}$/.test(zone) ? `${zone}:00` : zone.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2')
  return Date.parse(`${date}T${clock}${offset}`)
}

function toDate(text: string, path: QueryPath): string {
  const [date] = dateForm.exec(text) ?? []
  if (date === undefined || !instantForm.test(text))
    throw malformed(path, 'Invalid format, expected yyyy-MM-dd')
  if (Number.isNaN(readInstant(text))) throw malformed(path, 'Invalid date')
  if (date.startsWith('0000')) throw timeOutOfRange(path)
  return date
}

function toTime(text: string, path: QueryPath): string {
  const parts = timeForm.exec(text)
  if (parts === null) throw malformed(path, 'Invalid time format, expected HH:mm:ss.SSS')
  const [, hours = '', minutes = '', seconds = '00', fraction = ''] = parts
  return `${hours}:${minutes}:${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}`
}

/** ISO date or time, by default in UTC, or milliseconds. */
function toInstant(text: string, path: QueryPath): number {
  const isIso = instantForm.test(text)
  if (!isIso && !/^-?\d+$/.test(text)) {
    throw malformed(path, 'Invalid format, expected a timestamp or an ISO date')
  }
  const value = isIso ? readInstant(text) : Number(text)
  if (Number.isNaN(value)) throw malformed(path, 'Invalid date')
  if (isInYears(value)) return value
  throw timeOutOfRange(path)
}

/** MySQL's limit; the others support more. */
const mostLevels = 100

const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]|-?\d[\d.eE+-]*/g

function problemOf(token: string, takesNul: boolean): string | null {
  if (!token.startsWith('"')) {
    // MySQL reads numbers as doubles: overflow and underflow are rejected.
    const value = Number(token)
    const isZero = !/[1-9]/.test(token.replace(/e.*/i, ''))
    // PostgreSQL's limit of digits is far higher.
    const isCountable = Number.isFinite(value) && (value !== 0 || isZero) && token.length <= 1000
    return isCountable ? null : 'the JSON contains a number that is out of range'
  }
  const text = String(JSON.parse(token))
  if (/\p{Surrogate}/u.test(text)) return 'the JSON contains half of a surrogate pair'
  return !takesNul && text.includes('\0') ? 'the JSON contains a NUL character' : null
}

/** Databases have limits for JSON, and fail beyond them. */
function checkJson(text: string, takesNul: boolean, path: QueryPath): string {
  try {
    JSON.parse(text)
  } catch {
    throw malformed(path, 'Invalid value: JSON is expected')
  }
  let level = 0
  for (const [token] of text.matchAll(tokens)) {
    if (token === '[' || token === '{') level += 1
    else if (token === ']' || token === '}') level -= 1
    else {
      const problem = problemOf(token, takesNul)
      if (problem !== null) throw malformed(path, `Invalid value: ${problem}`)
    }
    if (level > mostLevels) {
      throw malformed(path, `Invalid value: JSON can have at most ${String(mostLevels)} levels`)
    }
  }
  return text
}

export const isUuid = (value: unknown): value is string =>
  typeof value === 'string' && /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value)

/** Case-insensitive search must match final sigma. Replacing it is slow, so it is done only if needed. */
export const hasSigma = (wanted: string): boolean => /[Σσς]/u.test(wanted)

export interface ComparedPlace {
  readonly planning: Planning
  readonly column: Column
  readonly path: QueryPath
}

type Reading = Pick<Planning, 'refusesUnstorable' | 'guessesTruth' | 'typedJson'>

const outOfRange = (path: QueryPath): Error => malformed(path, 'Invalid value: the number is out of range')

function toNumber(text: string, path: QueryPath, type: string): number {
  const value = text.trim() === '' ? NaN : Number(text)
  if (Number.isFinite(value)) return value
  throw malformed(path, `Invalid value: ${type} expects a number`)
}

/** Words match no id. Those that begin with a digit are rejected: MariaDB would compare the number. */
function toId(text: string, path: QueryPath, planning: Reading): number {
  const isWord = /^\s*[^\s\d+.-]/.test(text)
  return isWord && !planning.refusesUnstorable ? -1 : toInteger(text, path, planning)
}

function toInteger(text: string, path: QueryPath, planning: Reading): number {
  const value = toNumber(text, path, 'integer')
  if (planning.refusesUnstorable && (value > 2_147_483_647 || value < -2_147_483_648)) throw outOfRange(path)
  return value
}

/** Infinity beyond 64 bits: drivers and databases would clamp the value. */
function toBigInteger(text: string, path: QueryPath, planning: Reading): bigint | number {
  if (!/^\s*[+-]?\d+(\.0*)?\s*$/.test(text))
    throw malformed(path, 'Invalid value: biginteger expects an integer')
  const value = BigInt(text.trim().replace(/\..*$/, '').replace(/^\+/, ''))
  if (BigInt.asIntN(64, value) === value) return value
  if (planning.refusesUnstorable) throw outOfRange(path)
  return value < 0n ? -Infinity : Infinity
}

export function toText(text: string, path: QueryPath, planning: Reading): string {
  if (planning.refusesUnstorable && text.includes('\0')) throw malformed(path, 'Invalid value: NUL byte')
  return text
}

/** Any other word is true, as in Strapi, but not in rules. */
export function toTruth(text: string, path: QueryPath, { guessesTruth }: Reading): boolean {
  const truth = readBoolean(text) ?? (guessesTruth ? text !== '' : undefined)
  if (truth !== undefined) return truth
  throw malformed(path, 'Invalid value: boolean expects true or false')
}

export const toJson = (text: string, path: QueryPath, planning: Reading): string =>
  checkJson(text, !planning.refusesUnstorable, path)

const readers: Readonly<Record<ColumnType, (text: string, path: QueryPath, reading: Reading) => Value>> = {
  id: toId,
  integer: toInteger,
  biginteger: toBigInteger,
  float: (text, path) => toNumber(text, path, 'float'),
  decimal: (text, path) => toNumber(text, path, 'decimal'),
  boolean: toTruth,
  date: toDate,
  time: toTime,
  datetime: toInstant,
  timestamp: toInstant,
  string: toText,
  json: (text, path, reading) => (reading.typedJson ? toJson : toText)(text, path, reading),
}

/** Infinite numbers are beyond the range of the attribute. */
export const toOperand = ({ planning, column, path }: ComparedPlace, text: string): Value =>
  readers[column.type](text, path, planning)

const whole = /^-?\d{1,20}$/

/** Narrower than in queries. Drivers replace unpaired surrogates, and the result might match another value. */
const askerForms: Readonly<Partial<Record<ColumnType, RegExp>>> = {
  id: whole,
  integer: whole,
  biginteger: whole,
  boolean: /^(true|false)$/,
  string: /^[^\0\p{Surrogate}]*$/u,
}

/** Undefined for a value that the attribute cannot have. */
export function askerValueOf({ type }: Pick<AskerOperand, 'type'>, text: string): Value | undefined {
  if (type === 'json' || askerForms[type]?.test(text) === false) return undefined
  const strict = { refusesUnstorable: true, guessesTruth: false, typedJson: false }
  const value = orFault(() => readers[type](text, [], strict))
  return typeof value === 'object' ? undefined : value
}
