import { malformed, type QueryPath } from '../errors'
import type { Column } from '../schema'
import type { Planning } from './context'
import type { Operand } from './level'

const dateParts = /^(\d{4})-(\d{2})-(\d{2})/
const timeOfDay = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,9}))?)?$/
const instant = /^\d{4}(-\d{2}(-\d{2}([T ]\d{2}(:\d{2}(:\d{2}([.,]\d+)?)?)?(Z|[+-]\d{2}(:?\d{2})?)?)?)?)?$/

function toNumber(text: string, type: string, path: QueryPath): number {
  const value = text.trim() === '' ? NaN : Number(text)
  if (Number.isFinite(value)) return value
  throw malformed(path, `Invalid value: ${type} expects a number`)
}

/**
 * A word is found nowhere among the ids: where the database compares a number with a word, as SQLite and MariaDB do, it
 * finds nothing either. A word that begins like a number is refused, for MariaDB would find that number.
 */
function toId(planning: Planning, text: string, path: QueryPath): number {
  const isWord = /^\s*[^\s\d+.-]/.test(text)
  return isWord && !planning.refusesUnstorable ? noId : toInteger(planning, text, path)
}

const noId = -1

function toInteger(planning: Planning, text: string, path: QueryPath): number {
  const value = toNumber(text, 'integer', path)
  if (planning.refusesUnstorable && (value > 2_147_483_647 || value < -2_147_483_648)) {
    throw malformed(path, 'Invalid value: the number is out of range')
  }
  return value
}

function toBigInteger(planning: Planning, text: string, path: QueryPath): bigint {
  if (!/^\s*[+-]?\d+(\.0*)?\s*$/.test(text))
    throw malformed(path, 'Invalid value: biginteger expects an integer')
  const value = BigInt(text.trim().replace(/\..*$/, '').replace(/^\+/, ''))
  if (BigInt.asIntN(64, value) === value) return value
  if (planning.refusesUnstorable) throw malformed(path, 'Invalid value: the number is out of range')
  return value < 0n ? -(2n ** 63n) : 2n ** 63n - 1n
}

function toDate(text: string, path: QueryPath): string {
  const [date, year, month, day] = dateParts.exec(text) ?? []
  const rest = date === undefined ? '' : text.slice(date.length)
  if (date === undefined || (rest !== '' && !instant.test(text))) {
    throw malformed(path, 'Invalid format, expected yyyy-MM-dd')
  }
  const parsed = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  if (parsed.toISOString().startsWith(date)) return date
  throw malformed(path, 'Invalid date')
}

function toTime(text: string, path: QueryPath): string {
  const parts = timeOfDay.exec(text)
  if (parts === null) throw malformed(path, 'Invalid time format, expected HH:mm:ss.SSS')
  const [, hours = '', minutes = '', seconds = '00', fraction = ''] = parts
  return `${hours}:${minutes}:${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}`
}

/** An ISO date with or without its time, in UTC where it names no zone; or milliseconds since 1970. */
function toInstant(text: string, path: QueryPath): number {
  const iso = instant.test(text)
  if (iso || /^-?\d{1,16}$/.test(text)) {
    const value = iso ? isoInstant(text) : Number(text)
    if (Math.abs(value) <= 8.64e15) return value
  }
  throw malformed(path, 'Invalid format, expected a timestamp or an ISO date')
}

function isoInstant(text: string): number {
  const [date = '', rest] = text.replace(' ', 'T').replace(',', '.').split('T')
  if (rest === undefined) return Date.parse(date)
  const [, time = '', zone = 'Z'] = /^([\d:.]+)(Z|[+-].*)?$/.exec(rest) ?? []
  const clock = /^\d{2}$/.test(time) ? `${time}:00` : time
  const offset = /^[+-]\d{2}$/.test(zone) ? `${zone}:00` : zone.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2')
  return Date.parse(`${date}T${clock}${offset}`)
}

function toText(planning: Planning, text: string, path: QueryPath): string {
  if (planning.refusesUnstorable && text.includes('\0')) throw malformed(path, 'Invalid value: NUL byte')
  return text
}

const falsehoods = ['', '0', 'f', 'false']

/** A word that is no falsehood is true, as Strapi has it. */
export const toTruth = (text: string): boolean => !falsehoods.includes(text)

export function checkJson(text: string, path: QueryPath): string {
  try {
    JSON.parse(text)
    return text
  } catch {
    throw malformed(path, 'Invalid value: JSON is expected')
  }
}

const toJson = (planning: Planning, text: string, path: QueryPath): string =>
  planning.typedJson ? checkJson(text, path) : text

/** Reads a client's text as a value of the attribute's type; a word for a number, or a malformed date, is refused. */
export function toOperand(planning: Planning, column: Column, text: string, path: QueryPath): Operand {
  switch (column.type) {
    case 'id':
      return toId(planning, text, path)
    case 'integer':
      return toInteger(planning, text, path)
    case 'biginteger':
      return toBigInteger(planning, text, path)
    case 'float':
    case 'decimal':
      return toNumber(text, column.type, path)
    case 'boolean':
      return toTruth(text)
    case 'date':
      return toDate(text, path)
    case 'time':
      return toTime(text, path)
    case 'datetime':
    case 'timestamp':
      return toInstant(text, path)
    case 'string':
      return toText(planning, text, path)
    case 'json':
      return toJson(planning, toText(planning, text, path), path)
  }
}
