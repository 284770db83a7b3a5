import { type Form, notJson } from '../load'

/** Writes a value that is not null as JSON text. */
export type WriteValue = (value: unknown) => string

const number: WriteValue = (value) => (Number.isFinite(Number(value)) ? String(value) : 'null')

/** `14.00` is the number 14, and a double has no other way to be written. */
const numeric: WriteValue = (value) => {
  const read = Number(value)
  return Number.isFinite(read) ? String(read) : 'null'
}

const minuteLength = 60_000
const digits = (value: number, length: number): string => String(value).padStart(length, '0')
const seconds = Array.from({ length: 60 }, (_, second) => `${digits(second, 2)}.`)
const milliseconds = Array.from({ length: 1000 }, (_, millisecond) => `${digits(millisecond, 3)}Z"`)

/** A page holds few minutes and many instants, and Date's own way to write one costs several times the rest of a value. */
function instantWriter(): WriteValue {
  let known = NaN
  let begin = ''
  return (value) => {
    const instant = Number(value)
    const minute = Math.floor(instant / minuteLength)
    if (minute !== known) {
      if (Number.isNaN(new Date(instant).getTime())) return 'null'
      known = minute
      begin = `"${new Date(minute * minuteLength).toISOString().slice(0, -7)}`
    }
    const time = Math.floor(instant) - minute * minuteLength
    return begin + (seconds[Math.floor(time / 1000)] ?? '') + (milliseconds[time % 1000] ?? '')
  }
}

/** `2012-01-13 12:12:36.852000`; PostgreSQL leaves out zeros at the end. */
const instant: WriteValue = (value) => {
  const text = String(value)
  if (text.length >= 23) return `"${text.slice(0, 10)}T${text.slice(11, 23)}Z"`
  return `"${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20, 23).padEnd(3, '0')}Z"`
}

const clock: WriteValue = (value) => {
  const text = String(value)
  return `"${text.slice(0, 8)}.${text.slice(9, 12).padEnd(3, '0')}"`
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

/** The text as it is, in quotes: digits, dates and the like have nothing to escape. */
const plain: WriteValue = (value) => `"${String(value)}"`

const writers: Readonly<Record<Exclude<Form, 'milliseconds' | 'stamp'>, WriteValue>> = {
  text: (value) => JSON.stringify(value),
  plain,
  number,
  numeric,
  bit: (value) => (value === 0 || value === '0' ? 'false' : 'true'),
  letter: (value) => (value === 'f' ? 'false' : 'true'),
  instant,
  clock,
  json: (value) => String(value),
  storedJson,
  checkedJson,
  markedJson: (value) => (isMarked(value) ? JSON.stringify(value.slice(1)) : String(value)),
}

/** `stored`: as JSON says it is; `strapi`: with what Strapi makes of JSON strings and of PostgreSQL's times. */
export type Reading = 'stored' | 'strapi'

const jsonForms: readonly Form[] = ['json', 'storedJson', 'checkedJson', 'markedJson']

export function valueWriter(form: Form, reading: Reading): WriteValue {
  if (form === 'stamp' && reading === 'strapi') return plain
  if (form === 'milliseconds' || form === 'stamp') return instantWriter()
  if (reading === 'stored') return writers[form]
  if (jsonForms.includes(form)) return strapiJson(writers[form])
  return form === 'clock' ? plain : writers[form]
}
