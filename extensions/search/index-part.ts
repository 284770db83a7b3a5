import type { DialectName } from '../../lib/database'
import type { Column, Model } from '../../lib/schema'
import { wordColumn, wordIndex, wordTable } from './word-index'

const marks: Readonly<Record<DialectName, string>> = { sqlite: '"', mysql: '`', postgres: '"' }

/** A name in quotes. A table of an existing database may be in a named schema. */
const quoteFor =
  (dialect: DialectName) =>
  (name: string): string => {
    const mark = marks[dialect]
    return name
      .split('.')
      .map((part) => mark + part.replaceAll(mark, mark + mark) + mark)
      .join('.')
  }

/** A part of the index, by its name in the catalogue of the database. */
export interface IndexPart {
  readonly name: string
  readonly statement: string
}

export interface IndexedModel {
  readonly model: Model
  readonly columns: readonly Column[]
}

/** The virtual table contains words and no texts. Triggers keep the table current. */
export function partsOnSqlite({ model, columns }: IndexedModel): readonly IndexPart[] {
  const quote = quoteFor('sqlite')
  const name = wordTable(model)
  const [table, own, id] = [quote(name), quote(model.table), quote(model.key.column)]
  const names = columns.map(({ column }) => quote(column))
  const listed = ['rowid', ...names].join(', ')
  const valuesOf = (row: string): string => [id, ...names].map((column) => `${row}.${column}`).join(', ')
  const add = `insert into ${table} (${listed}) values (${valuesOf('new')});`
  const remove = `insert into ${table} (${table}, ${listed}) values ('delete', ${valuesOf('old')});`
  const trigger = (event: string, when: string, body: string): IndexPart => {
    const own = `${name}_${event}`
    return { name: own, statement: `create trigger ${quote(own)} ${when} begin ${body} end` }
  }
  const content = `content='${model.table.replaceAll("'", "''")}', content_rowid='${model.key.column.replaceAll("'", "''")}'`
  const options = `${content}, tokenize='unicode61 remove_diacritics 2', prefix='2 3'`
  return [
    { name, statement: `create virtual table ${table} using fts5(${names.join(', ')}, ${options})` },
    trigger('insert', `after insert on ${own}`, add),
    trigger('delete', `after delete on ${own}`, remove),
    trigger('update', `after update of ${[id, ...names].join(', ')} on ${own}`, `${remove} ${add}`),
  ]
}

/** Fills the index with the rows that the table has. */
export const fillOnSqlite = (model: Model): string => {
  const table = quoteFor('sqlite')(wordTable(model))
  return `insert into ${table} (${table}) values ('rebuild')`
}

export const dropOnSqlite = (model: Model): readonly string[] => {
  const quote = quoteFor('sqlite')
  const name = wordTable(model)
  const triggers = ['insert', 'delete', 'update'].map(
    (event) => `drop trigger if exists ${quote(`${name}_${event}`)}`,
  )
  return [...triggers, `drop table if exists ${quote(name)}`]
}

/** Punctuation separates words, so that all databases find the same words. */
const separators = String.raw`[\u0021-\u002F\u003A-\u0040\u005B-\u0060\u007B-\u00BF\u2000-\u206F\u3000-\u303F]+`
const accents = String.raw`[\u0300-\u036F]+`

/** PostgreSQL fails on a longer text, and then the row could not be written. */
const longestText = 200_000

function wordsOnPostgres(column: string): string {
  const folded = `regexp_replace(normalize(${column}, NFKD), '${accents}', '', 'g')`
  const separated = `regexp_replace(${folded}, '${separators}', ' ', 'g')`
  return `to_tsvector('simple', left(${separated}, ${String(longestText)}))`
}

export function partsOnPostgres({ model, columns }: IndexedModel): readonly IndexPart[] {
  const quote = quoteFor('postgres')
  const table = quote(model.table)
  return columns.flatMap((column): readonly IndexPart[] => {
    const [words, index] = [wordColumn(column), wordIndex(model, column)]
    const made = `tsvector generated always as (${wordsOnPostgres(quote(column.column))}) stored`
    return [
      { name: words, statement: `alter table ${table} add column ${quote(words)} ${made}` },
      { name: index, statement: `create index ${quote(index)} on ${table} using gin (${quote(words)})` },
    ]
  })
}

export function partsOnMysql({ model, columns }: IndexedModel): readonly IndexPart[] {
  const quote = quoteFor('mysql')
  return columns.map((column) => {
    const index = quote(wordIndex(model, column))
    const statement = `create fulltext index ${index} on ${quote(model.table)} (${quote(column.column)})`
    return { name: column.column, statement }
  })
}
