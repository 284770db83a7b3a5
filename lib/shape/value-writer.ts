import { type Form, notJson } from '../compile'
import { isDay } from '../schema'
import { clock, instant, instantWriter } from './instant'

/** Writes a value that is not null as JSON text. */
export type WriteValue = (value: unknown) => string

/** Longer texts are looked through faster by JSON.stringify; to be called by it takes a short one longer than the look. */
const shortText = 48
const nothingToEscape = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/

const text: WriteValue = (value) =>
  typeof value === 'string' && value.length < shortText && nothingToEscape.test(value)
    ? `"${value}"`
    : JSON.stringify(value)

/** A row that holds anything else meets neither what asks for true nor what asks for false, and so it is neither. */
const bit: WriteValue = (value) => {
  switch (value) {
    case 1:
    case '1':
    case true:
      return 'true'
    case 0:
    case '0':
    case false:
      return 'false'
    default:
      return 'null'
  }
}

const number: WriteValue = (value) => (Number.isFinite(Number(value)) ? String(value) : 'null')

/** SQLite's columns hold what they are given: nothing but a number may stand in an answer without quotes. */
const storedNumber: WriteValue = (value) =>
  typeof value === 'number' ? number(value) : JSON.stringify(String(value))

const storedBit: WriteValue = (value) =>
  typeof value === 'number' ? bit(value) : JSON.stringify(String(value))

/** Strapi makes a number of any value that it finds, and of an empty text the number 0. */
const strapiNumber: WriteValue = (value) => number(Number(value))

/** Also texts of a digit, as Strapi takes them; a text of a word is none. */
const strapiBit: WriteValue = (value) => bit(String(value))

/** Of a text, be it empty, no instant is made. */
const milliseconds = (value: unknown): number => (typeof value === 'number' ? value : NaN)

/** `14.00` is the number 14, and a double has no other way to be written. */
const numeric: WriteValue = (value) => {
  const read = Number(value)
  return Number.isFinite(read) ? String(read) : 'null'
}

/** Lists and objects pass; a bare text, which a column without its check may hold, is looked at. */
const checkedJson: WriteValue = (value) => {
  const text = String(value)
  const isWhole = (text.startsWith('{') && text.endsWith('}')) || (text.startsWith('[') && text.endsWith(']'))
  return isWhole ? text : storedJson(value)
}

const isMarked = (value: unknown): value is string => typeof value === 'string' && value.startsWith(notJson)

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** JSON text passes through; what the storage holds in its place, SQLite's bare texts, is written as a string. */
const storedJson: WriteValue = (value) => {
  if (typeof value !== 'string') return JSON.stringify(value)
  return isJson(value) ? value : JSON.stringify(value)
}

/** Strapi parses a stored string once more, for the sake of its own older versions, and else gives its raw text. */
const strapiJson =
  (write: WriteValue): WriteValue =>
  (value) => {
    const text = write(value)
    if (typeof value !== 'string' || !value.startsWith('"') || text !== value) return text
    const inner = String(JSON.parse(value))
    return isJson(inner) ? inner : JSON.stringify(value)
  }

/** MySQL makes an empty text of JSON that is larger than its `max_allowed_packet`. */
const typedJson: WriteValue = (value) => (value === '' ? 'null' : String(value))

/**
 * The same of MySQL's own JSON, which the driver has parsed by then: a text that is no JSON is that text, and one that is a
 * JSON string is parsed twice where that gives something.
 */
const strapiTypedJson: WriteValue = (value) => {
  const text = typedJson(value)
  if (!text.startsWith('"')) return text
  const content = String(JSON.parse(text))
  if (!isJson(content)) return text
  if (!content.startsWith('"')) return content
  const inner = String(JSON.parse(content))
  return isJson(inner) ? inner : text
}

/** The text as it is, in quotes: digits, dates and the like have nothing to escape. */
const plain: WriteValue = (value) => `"${String(value)}"`

/** Every month has them. */
const usualDay = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])(?!\d)/

/**
 * MySQL makes `0000-00-00` of `2024-00-00` where its plan takes the row through a table of its own, so that how many rows a
 * rule hides would show in the day.
 */
const ofDays =
  (write: WriteValue): WriteValue =>
  (value) => {
    const text = String(value)
    return usualDay.test(text) || isDay(text.slice(0, 10)) ? write(text) : 'null'
  }

const writers: Readonly<Record<Exclude<Form, 'milliseconds' | 'stamp'>, WriteValue>> = {
  text,
  plain,
  day: ofDays(plain),
  number,
  numeric,
  bit,
  letter: (value) => (value === 'f' ? 'false' : 'true'),
  storedNumber,
  storedBit,
  instant,
  storedInstant: ofDays(instant),
  clock,
  json: (value) => String(value),
  typedJson,
  storedJson,
  checkedJson,
  markedJson: (value) => (isMarked(value) ? JSON.stringify(value.slice(1)) : String(value)),
}

/** `stored`: as JSON says it is; `strapi`: with what Strapi makes of JSON strings, of PostgreSQL's times and of texts in place of numbers. */
export type ValueReading = 'stored' | 'strapi'

const strapiWriters: Readonly<Partial<Record<Form, WriteValue>>> = {
  stamp: plain,
  clock: plain,
  storedNumber: strapiNumber,
  storedBit: strapiBit,
  typedJson: strapiTypedJson,
  json: strapiJson(writers.json),
  storedJson: strapiJson(storedJson),
  checkedJson: strapiJson(checkedJson),
  markedJson: strapiJson(writers.markedJson),
}

export function valueWriter(form: Form, reading: ValueReading): WriteValue {
  const strapis = reading === 'strapi' ? strapiWriters[form] : undefined
  if (strapis !== undefined) return strapis
  if (form === 'stamp') return instantWriter(Number)
  return form === 'milliseconds' ? instantWriter(milliseconds) : writers[form]
}
