// Rows of the recorded magazine to JSON text, by hand for each table.
import type { MeasuredDatabase } from '../measured-databases'
import type { Row } from './database'
import { bare, forms, quoted, text, type Value, writersFor } from './write'

/** Writes the members of one entry, without the braces; `at` is the place of its first column. */
export type Write = (row: Row, at: number) => string

/** PostgreSQL leaves out zeros at the end. */
const time: Value = (value) => {
  if (value === null) return 'null'
  const stamp = value as string
  return `"${stamp.slice(0, 8)}.${stamp.slice(9, 12).padEnd(3, '0')}"`
}

const orNull = (write: Value, value: unknown): string => (value === null ? 'null' : write(value))

type Name =
  | 'article'
  | 'author'
  | 'category'
  | 'country'
  | 'page'
  | 'seo'
  | 'block'
  | 'tag'
  | 'comment'
  | 'quote'
  | 'file'

export function magazineWriters(name: MeasuredDatabase): Readonly<Record<Name, Write>> {
  const { date, flag, real, json } = forms[name]
  const id: Write = (row, at) => `"id":${bare(row[at])},"documentId":"${row[at + 1] as string}"`
  const dates: Write = (row, at) =>
    `,"createdAt":${date(row[at])},"updatedAt":${date(row[at + 1])},"publishedAt":${date(row[at + 2])}`
  return {
    article: (row, at) =>
      `${id(row, at)},"title":${text(row[at + 2])},"summary":${text(row[at + 3])},"body":${text(row[at + 4])},"content":${json(row[at + 5])},"kind":${quoted(row[at + 6])},"contactEmail":${text(row[at + 7])},"slug":${text(row[at + 8])},"publishDate":${quoted(row[at + 9])},"airTime":${time(row[at + 10])},"startsAt":${date(row[at + 11])},"stampedAt":${date(row[at + 12])},"views":${bare(row[at + 13])},"bigViews":${quoted(row[at + 14])},"rating":${real(row[at + 15])},"price":${real(row[at + 16])},"featured":${orNull(flag, row[at + 17])},"extra":${json(row[at + 18])}${dates(row, at + 19)},"locale":${quoted(row[at + 22])}`,
    author: (row, at) =>
      `${id(row, at)},"name":${text(row[at + 2])},"bio":${text(row[at + 3])},"email":${text(row[at + 4])},"born":${quoted(row[at + 5])},"reputation":${quoted(row[at + 6])}${dates(row, at + 7)}`,
    category: (row, at) =>
      `${id(row, at)},"name":${text(row[at + 2])},"slug":${text(row[at + 3])},"position":${bare(row[at + 4])},"description":${text(row[at + 5])}${dates(row, at + 6)}`,
    country: (row, at) =>
      `${id(row, at)},"name":${text(row[at + 2])},"code":${text(row[at + 3])},"population":${quoted(row[at + 4])},"area":${real(row[at + 5])}${dates(row, at + 6)}`,
    page: (row, at) =>
      `${id(row, at)},"title":${text(row[at + 2])},"path":${text(row[at + 3])}${dates(row, at + 4)}`,
    seo: (row, at) =>
      `"id":${bare(row[at])},"metaTitle":${text(row[at + 1])},"metaDescription":${text(row[at + 2])},"metaRobots":${text(row[at + 3])},"priority":${real(row[at + 4])}`,
    block: (row, at) => `"id":${bare(row[at])},"heading":${text(row[at + 1])}`,
    tag: (row, at) =>
      `${id(row, at)},"name":${text(row[at + 2])},"color":${quoted(row[at + 3])},"weight":${real(row[at + 4])}${dates(row, at + 5)}`,
    comment: (row, at) =>
      `${id(row, at)},"text":${text(row[at + 2])},"score":${bare(row[at + 3])},"postedAt":${date(row[at + 4])}${dates(row, at + 5)}`,
    quote: (row, at) =>
      `"id":${bare(row[at])},"title":${text(row[at + 1])},"body":${text(row[at + 2])},"year":${bare(row[at + 3])},"saidAt":${date(row[at + 4])}`,
    file: writersFor(name).file,
  }
}
