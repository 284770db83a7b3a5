import { type Form, notJson } from '../compile'
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

const number: WriteValue = (value) => (Number.isFinite(Number(value)) ? String(value) : 'null')

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

/**
 * The same of MySQL's own JSON, which the driver has parsed by then: a text that is no JSON is that text, and one that is a
 * JSON string is parsed twice where that gives something.
 */
const strapiTypedJson: WriteValue = (value) => {
  const text = String(value)
  if (!text.startsWith('"')) return text
  const content = String(JSON.parse(text))
  if (!isJson(content)) return text
  if (!content.startsWith('"')) return content
  const inner = String(JSON.parse(content))
  return isJson(inner) ? inner : text
}

/** The text as it is, in quotes: digits, dates and the like have nothing to escape. */
const plain: WriteValue = (value) => `"${String(value)}"`

const writers: Readonly<Record<Exclude<Form, 'milliseconds' | 'stamp'>, WriteValue>> = {
  text,
  plain,
  number,
  numeric,
  bit: (value) => (value === 0 || value === '0' ? 'false' : 'true'),
  letter: (value) => (value === 'f' ? 'false' : 'true'),
  instant,
  clock,
  json: (value) => String(value),
  typedJson: (value) => String(value),
  storedJson,
  checkedJson,
  markedJson: (value) => (isMarked(value) ? JSON.stringify(value.slice(1)) : String(value)),
}

/** `stored`: as JSON says it is; `strapi`: with what Strapi makes of JSON strings and of PostgreSQL's times. */
export type ValueReading = 'stored' | 'strapi'

const jsonForms: readonly Form[] = ['json', 'storedJson', 'checkedJson', 'markedJson']

export function valueWriter(form: Form, reading: ValueReading): WriteValue {
  if (form === 'stamp' && reading === 'strapi') return plain
  if (form === 'milliseconds' || form === 'stamp') return instantWriter()
  if (reading === 'stored') return writers[form]
  if (form === 'typedJson') return strapiTypedJson
  if (jsonForms.includes(form)) return strapiJson(writers[form])
  return form === 'clock' ? plain : writers[form]
}
