// Rows to JSON text, by hand for each table: a value is quoted, escaped or put as it is.
import type { MeasuredDatabase } from '../measured-databases'
import type { Row } from './database'

export type Value = (value: unknown) => string

/** What the databases hand over in different ways. */
export interface Forms {
  readonly date: Value
  readonly flag: Value
  readonly real: Value
  readonly json: Value
}

export const text: Value = (value) => (value === null ? 'null' : JSON.stringify(value))
/** A number, or JSON text: put into the text around it as it is. */
export const bare: Value = (value) => (value === null ? 'null' : (value as string))

/** `14.00` is the number 14. */
const numeric: Value = (value) => (value === null ? 'null' : String(Number(value)))
export const quoted: Value = (value) => (value === null ? 'null' : `"${value as string}"`)

const instant: Value = (value) => {
  if (value === null) return 'null'
  const stamp = value as string
  return `"${stamp.slice(0, 10)}T${stamp.slice(11, 19)}.${stamp.slice(20, 23).padEnd(3, '0')}Z"`
}

const milliseconds: Value = (value) =>
  value === null ? 'null' : `"${new Date(value as number).toISOString()}"`

/** SQLite has texts in JSON columns without their quotation marks. */
const unquoted: Value = (value) =>
  typeof value === 'string' && !/^[[{]/.test(value) ? JSON.stringify(value) : bare(value)

export const forms: Readonly<Record<MeasuredDatabase, Forms>> = {
  mariadb: { date: instant, flag: (value) => (value === 1 ? 'true' : 'false'), real: numeric, json: bare },
  postgres: { date: instant, flag: (value) => (value === 't' ? 'true' : 'false'), real: numeric, json: bare },
  sqlite: {
    date: milliseconds,
    flag: (value) => (value === 1 ? 'true' : 'false'),
    real: bare,
    json: unquoted,
  },
}

export interface Writers {
  readonly article: (row: Row) => string
  readonly author: (row: Row, at: number) => string
  readonly category: (row: Row, at: number) => string
  readonly tag: (row: Row, at: number) => string
  readonly country: (row: Row, at: number) => string
  readonly file: (row: Row, at: number) => string
}

/** Each writes the members of one entry, without the braces; `at` is the place of its first column. */
export function writersFor(name: MeasuredDatabase): Writers {
  const { date, flag, real } = forms[name]
  const dates = (row: Row, at: number): string =>
    `,"createdAt":${date(row[at])},"updatedAt":${date(row[at + 1])},"publishedAt":${date(row[at + 2])}`
  const id = (row: Row, at: number): string => `"id":${bare(row[at])},"documentId":"${row[at + 1] as string}"`
  return {
    article: (row) =>
      `${id(row, 0)},"title":${text(row[2])},"slug":${text(row[3])},"summary":${text(row[4])},"body":${text(row[5])},"views":${bare(row[6])},"rating":${real(row[7])},"featured":${flag(row[8])},"releasedOn":${quoted(row[9])}${dates(row, 10)}`,
    author: (row, at) =>
      `${id(row, at)},"name":${text(row[at + 2])},"email":${text(row[at + 3])},"bio":${text(row[at + 4])}${dates(row, at + 5)}`,
    category: (row, at) =>
      `${id(row, at)},"name":${text(row[at + 2])},"slug":${text(row[at + 3])},"description":${text(row[at + 4])}${dates(row, at + 5)}`,
    tag: (row, at) =>
      `${id(row, at)},"name":${text(row[at + 2])},"slug":${text(row[at + 3])}${dates(row, at + 4)}`,
    country: (row, at) =>
      `${id(row, at)},"name":${text(row[at + 2])},"code":${text(row[at + 3])}${dates(row, at + 4)}`,
    file: (row, at) =>
      `${id(row, at)},"name":${text(row[at + 2])},"alternativeText":${text(row[at + 3])},"caption":${text(row[at + 4])},"focalPoint":${bare(row[at + 5])},"width":${bare(row[at + 6])},"height":${bare(row[at + 7])},"formats":${bare(row[at + 8])},"hash":${text(row[at + 9])},"ext":${text(row[at + 10])},"mime":${text(row[at + 11])},"size":${real(row[at + 12])},"url":${text(row[at + 13])},"previewUrl":${text(row[at + 14])},"provider":${text(row[at + 15])},"provider_metadata":${bare(row[at + 16])}${dates(row, at + 17)}`,
  }
}

/** The members of a component, behind its id; each value is a text or, where `numbers` says so, a number. */
export function writeComponent(
  row: Row,
  at: number,
  names: readonly string[],
  number: string | null,
): string {
  let members = `"id":${bare(row[at])},"documentId":null`
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index] ?? ''
    const value = row[at + 1 + index]
    members += `,"${name}":${name === number ? bare(value) : text(value)}`
  }
  return members
}
