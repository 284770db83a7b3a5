import { type Form, notJson } from '../compile'
import { isDay } from '../schema'

const dayLength = 86_400_000
const minuteLength = 60_000
const minutesOfDay = 1440

const digits = (value: number, length: number): string => String(value).padStart(length, '0')
const two = (value: number): string => digits(value, 2)
const minutes = Array.from(
  { length: minutesOfDay },
  (_, minute) => `T${two(Math.floor(minute / 60))}:${two(minute % 60)}:`,
)
const seconds = Array.from({ length: 60 }, (_, second) => `${two(second)}.`)
const millisecondTexts = Array.from({ length: 1000 }, (_, millisecond) => `${digits(millisecond, 3)}Z"`)

/** As far from 1970 as Date goes, either way. */
const last = 100_000_000 * dayLength

/** Some ten years: what is shown was mostly made in few. */
const mostDays = 4000

/** Date's own way to write a day costs several times the rest of an instant, and content has few days. */
function dayWriter(): (day: number) => string {
  const known = new Map<number, string>()
  // Not by `once`, which serves maps of many kinds and takes twice as long: this is done for every instant.
  return (day) => {
    const before = known.get(day)
    if (before !== undefined) return before
    const text = new Date(day * dayLength).toISOString()
    const made = `"${text.slice(0, text.indexOf('T'))}`
    if (known.size >= mostDays) known.clear()
    known.set(day, made)
    return made
  }
}

/** From the milliseconds since 1970, which are read by `read`; null for what is no instant. */
function instantWriter(read: (value: unknown) => number): (value: unknown) => string {
  const dayText = dayWriter()
  let known = NaN
  let begin = ''
  return (value) => {
    const instant = Math.trunc(read(value))
    if (!(Math.abs(instant) <= last)) return 'null'
    const minute = Math.floor(instant / minuteLength)
    if (minute !== known) {
      const day = Math.floor(minute / minutesOfDay)
      known = minute
      begin = dayText(day) + (minutes[minute - day * minutesOfDay] ?? '')
    }
    const time = instant - minute * minuteLength
    return begin + (seconds[Math.floor(time / 1000)] ?? '') + (millisecondTexts[time % 1000] ?? '')
  }
}

const [dash, blank, letter] = ['-', ' ', 'A'].map((sign) => sign.charCodeAt(0)) as [number, number, number]

/** PostgreSQL has years before the first and after the 9999th, and ends of time, which are no instants of JSON's. */
function farInstant(text: string): string {
  const [, year, ...rest] = /^(\d+)-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,3}))?/.exec(text) ?? []
  if (year === undefined) return 'null'
  const [month, day, hour, minute, second] = rest.map(Number) as [number, number, number, number, number]
  const at = new Date(
    Date.UTC(2000, month - 1, day, hour, minute, second, Number((rest[5] ?? '').padEnd(3, '0'))),
  )
  at.setUTCFullYear(text.endsWith('BC') ? 1 - Number(year) : Number(year), month - 1, day)
  return JSON.stringify(at)
}

/** `2012-01-13 12:12:36.852000`; PostgreSQL leaves out zeros at the end. */
function instant(value: unknown): string {
  const text = String(value)
  const isNear = text.charCodeAt(4) === dash && text.charCodeAt(10) === blank
  if (!isNear || text.charCodeAt(text.length - 1) >= letter) return farInstant(text)
  if (text.length >= 23) return `"${text.slice(0, 10)}T${text.slice(11, 23)}Z"`
  return `"${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20, 23).padEnd(3, '0')}Z"`
}

function clock(value: unknown): string {
  const text = String(value)
  return `"${text.slice(0, 8)}.${text.slice(9, 12).padEnd(3, '0')}"`
}

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
