import type { Form } from '../load'

/** Writes a value that is not null as JSON text. */
export type WriteValue = (value: unknown) => string

const number: WriteValue = (value) => (Number.isFinite(Number(value)) ? String(value) : 'null')

/** `14.00` is the number 14, and a double has no other way to be written. */
const numeric: WriteValue = (value) => {
  const read = Number(value)
  return Number.isFinite(read) ? String(read) : 'null'
}

const milliseconds: WriteValue = (value) => {
  const date = new Date(Number(value))
  return Number.isNaN(date.getTime()) ? 'null' : `"${date.toISOString()}"`
}

/** `2012-01-13 12:12:36.852000`; PostgreSQL leaves out zeros at the end. */
const instant: WriteValue = (value) => {
  const text = String(value)
  return `"${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20, 23).padEnd(3, '0')}Z"`
}

const clock: WriteValue = (value) => {
  const text = String(value)
  return `"${text.slice(0, 8)}.${text.slice(9, 12).padEnd(3, '0')}"`
}

/** JSON text passes through; what the storage holds in its place, SQLite's bare texts, is written as a string. */
const storedJson: WriteValue = (value) => {
  if (typeof value !== 'string') return JSON.stringify(value)
  try {
    JSON.parse(value)
    return value
  } catch {
    return JSON.stringify(value)
  }
}

/** Strapi parses a stored string once more, for the sake of its own older versions, and else gives its raw text. */
const strapiJson: WriteValue = (value) => {
  const text = storedJson(value)
  if (!text.startsWith('"') || typeof value !== 'string' || value === text.slice(1, -1)) return text
  const parsed: unknown = JSON.parse(text)
  const again = storedJson(parsed)
  return again.startsWith('"') ? JSON.stringify(value) : again
}

/** The text as it is, in quotes: digits, dates and the like have nothing to escape. */
const plain: WriteValue = (value) => `"${String(value)}"`

const writers: Readonly<Record<Form, WriteValue>> = {
  text: (value) => JSON.stringify(value),
  plain,
  number,
  numeric,
  bit: (value) => (value === 0 || value === '0' ? 'false' : 'true'),
  letter: (value) => (value === 'f' ? 'false' : 'true'),
  milliseconds,
  instant,
  clock,
  json: (value) => String(value),
  storedJson,
}

/** `stored`: as JSON says it is; `strapi`: with what Strapi makes of JSON strings and of PostgreSQL's times. */
export type Reading = 'stored' | 'strapi'

export function valueWriter(form: Form, reading: Reading): WriteValue {
  if (reading === 'stored') return writers[form]
  if (form === 'json' || form === 'storedJson') return strapiJson
  return form === 'clock' ? plain : writers[form]
}
