import { type Form, notJson } from '../sql'
import { isDay } from '../schema'

export type WriteValue = (value: unknown) => string

const dayLength = 86_400_000

const digits = (value: number, length = 2): string => String(value).padStart(length, '0')
const minutes = Array.from({ length: 1440 }, (_, at) => `T${digits(Math.floor(at / 60))}:${digits(at % 60)}:`)
const seconds = Array.from({ length: 60 }, (_, second) => `${digits(second)}.`)
const millisecondTexts = Array.from({ length: 1000 }, (_, millisecond) => `${digits(millisecond, 3)}Z"`)

/** The range of Date, before and after 1970. */
const last = 100_000_000 * dayLength

const mostDays = 4000

/**
 * `read`: the milliseconds since 1970. Writes null out of the range of Date. Date writes a day in several times the
 * time of the rest of an instant, and content has few days.
 */
function instantWriter(read: (value: unknown) => number): WriteValue {
  const days = new Map<number, string>()
  return (value) => {
    const instant = Math.trunc(read(value))
    if (!(Math.abs(instant) <= last)) return 'null'
    const day = Math.floor(instant / dayLength)
    const time = instant - day * dayLength
    const second = Math.floor(time / 1000)
    // `once` takes twice as long, because it serves maps of many kinds.
    let text = days.get(day)
    if (text === undefined) {
      text = `"${new Date(day * dayLength).toISOString().slice(0, -'T00:00:00.000Z'.length)}`
      if (days.size >= mostDays) days.clear()
      days.set(day, text)
    }
    text += minutes[Math.floor(second / 60)] ?? ''
    return text + (seconds[second % 60] ?? '') + (millisecondTexts[time - second * 1000] ?? '')
  }
}

const [dash, blank, letter] = ['-', ' ', 'A'].map((sign) => sign.charCodeAt(0)) as [number, number, number]

/** PostgreSQL has years before 1 and after 9999, and infinity, which is null in JSON. */
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

/** Reads `2012-01-13 12:12:36.852000`. PostgreSQL omits trailing zeros. */
function instant(value: unknown): string {
  const text = String(value)
  const isNear = text.charCodeAt(4) === dash && text.charCodeAt(10) === blank
  if (!isNear || text.charCodeAt(text.length - 1) >= letter) return farInstant(text)
  if (text.length >= 23) return `"${text.slice(0, 10)}T${text.slice(11, 23)}Z"`
  return `"${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20, 23).padEnd(3, '0')}Z"`
}

/** TIME of MySQL may be a duration: `-12:00:00`, `838:59:59`. */
function clock(value: unknown): string {
  const text = String(value)
  if (text.charAt(2) !== ':') return JSON.stringify(text)
  return `"${text.slice(0, 8)}.${text.slice(9, 12).padEnd(3, '0')}"`
}

/** JSON.stringify is faster for longer texts; for short ones its call costs more than the test. */
const shortText = 48
const nothingToEscape = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/

const text: WriteValue = (value) =>
  typeof value === 'string' && value.length < shortText && nothingToEscape.test(value)
    ? `"${value}"`
    : JSON.stringify(value)

/** Any other value is null, because filters by true and by false exclude it. */
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
      // BIT of MySQL.
      return Buffer.isBuffer(value) ? bit(value[0]) : 'null'
  }
}

const number: WriteValue = (value) => (Number.isFinite(Number(value)) ? String(value) : 'null')

/** SQLite stores values of any type in any column: only a number is written without quotes. */
const storedNumber: WriteValue = (value) =>
  typeof value === 'number' ? number(value) : JSON.stringify(String(value))

const storedBit: WriteValue = (value) =>
  typeof value === 'number' ? bit(value) : JSON.stringify(String(value))

const numeric: WriteValue = (value) => number(Number(value))

/** Objects and lists need no parsing; a bare text may be stored by a column without its check. */
const checkedJson: WriteValue = (value) => {
  const text = String(value)
  const isWhole = (text.startsWith('{') && text.endsWith('}')) || (text.startsWith('[') && text.endsWith(']'))
  return isWhole || isJson(text) ? text : JSON.stringify(text)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Strapi parses a stored string once more, for the data of its older versions, or returns its raw text. */
const strapiJson =
  (write: WriteValue): WriteValue =>
  (value) => {
    const text = write(value)
    if (typeof value !== 'string' || !value.startsWith('"') || text !== value) return text
    const inner = String(JSON.parse(value))
    return isJson(inner) ? inner : JSON.stringify(value)
  }

/** MySQL returns an empty text for JSON larger than `max_allowed_packet`. */
const typedJson: WriteValue = (value) => (value === '' ? 'null' : String(value))

/** The same for MySQL, whose driver has parsed the JSON once: a JSON string is parsed up to twice. */
const strapiTypedJson: WriteValue = (value) => {
  const text = typedJson(value)
  if (!text.startsWith('"')) return text
  const content = String(JSON.parse(text))
  return isJson(content) ? strapiJson(String)(content) : text
}

/** Digits, dates and the like have nothing to escape. */
const plain: WriteValue = (value) => `"${String(value)}"`

/** Days that every month has. */
const usualDay = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])(?!\d)/

/** MySQL turns `2024-00-00` into `0000-00-00` in temporary tables: a day would show how many rows a rule hides. */
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
  checkedJson,
  markedJson: (value) =>
    typeof value === 'string' && value.startsWith(notJson) ? JSON.stringify(value.slice(1)) : String(value),
}

/** `strapi`: Strapi's reading of JSON strings, of PostgreSQL's times and of texts in place of numbers. */
export type ValueReading = 'stored' | 'strapi'

const strapiWriters: Readonly<Partial<Record<Form, WriteValue>>> = {
  stamp: plain,
  clock: plain,
  storedNumber: numeric,
  storedBit: (value) => bit(String(value)),
  typedJson: strapiTypedJson,
  json: strapiJson(writers.json),
  checkedJson: strapiJson(checkedJson),
  markedJson: strapiJson(writers.markedJson),
}

export function valueWriter(form: Form, reading: ValueReading): WriteValue {
  const strapis = reading === 'strapi' ? strapiWriters[form] : undefined
  if (strapis !== undefined) return strapis
  if (form === 'stamp') return instantWriter(Number)
  // A text is no instant, be it empty.
  if (form === 'milliseconds') return instantWriter((value) => (typeof value === 'number' ? value : NaN))
  return writers[form]
}
