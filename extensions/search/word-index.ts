import type { DialectName } from '../../lib/database'
import type { Column, Model } from '../../lib/schema'
import { anyOf, type Dialect, joined, type Sql, sql } from '../../lib/sql'
import { type Language, stemQuery } from './languages'
import { foldText, type Term, wordOf } from './search-text'

/** PostgreSQL cuts longer names. */
const shortName = (name: string): string => name.slice(0, 63)

const tableName = ({ table }: Model): string => table.split('.').at(-1) ?? table

/** SQLite: the virtual table with the words of a type. */
export const wordTable = (model: Model): string => `cr_${tableName(model)}_words`

const kindOf = (language: Language | undefined): string => language?.join('_') ?? 'words'

/** PostgreSQL: the generated column with the words of an attribute, or with their stems in a language. */
export const wordColumn = ({ column }: Column, language?: Language): string =>
  shortName(`cr_${kindOf(language)}_${column}`)

export const wordIndex = (model: Model, column: string, language?: Language): string =>
  shortName(`cr_${tableName(model)}_${kindOf(language)}_${column}`)

const quoted = (words: readonly string[]): string => `"${words.join(' ')}"`

function textForSqlite(columns: readonly Column[], { words, isPrefix }: Term): string {
  const names = columns.map(({ column }) => `"${column.replaceAll('"', '""')}"`)
  return `{${names.join(' ')}} : ${quoted(words)}${isPrefix ? ' *' : ''}`
}

const textForMysql = ({ words, isPrefix }: Term): string =>
  words.length > 1 ? quoted(words) : words.join('') + (isPrefix ? '*' : '')

/** Words contain letters and digits only, so that no quote ends them. */
const textForPostgres = ({ words, isPrefix }: Term): string =>
  words.map((word) => `'${foldText(word).replaceAll("'", '')}'`).join(' <-> ') + (isPrefix ? ':*' : '')

/** Rows that have the term in one of the columns. */
export interface TermRows {
  readonly model: Model
  readonly columns: readonly Column[]
  readonly term: Term
  readonly languages: readonly Language[]
  /** Each row is tested that other conditions find, or a set has all rows. */
  readonly by: 'row' | 'set'
}

type WriteTerm = (alias: string, rows: TermRows) => Sql

const onSqlite: WriteTerm = (alias, { model, columns, term }) => {
  const table = wordTable(model)
  const found = sql('select rowid from ?? where ?? match ?', [table, table, textForSqlite(columns, term)])
  return sql('?? in (?)', [`${alias}.${model.key.column}`, found])
}

/** A word also finds its other forms, and a phrase is exact. */
const onPostgres: WriteTerm = (alias, { columns, term, languages }) => {
  const isIn = (column: Column, query: Sql, language?: Language): Sql =>
    sql('?? @@ ?', [`${alias}.${wordColumn(column, language)}`, query])
  const exact = sql('cast(? as tsquery)', [textForPostgres(term)])
  const word = wordOf(term)
  return anyOf(
    columns.flatMap((column) => [
      isIn(column, exact),
      ...(word === null ? [] : languages.map((one) => isIn(column, stemQuery(one, word), one))),
    ]),
  )
}

/** Holds if each term is in one of the columns. With `+`, InnoDB takes twice as long for a single term. */
export function haveAll(alias: string, columns: readonly Column[], terms: readonly Term[]): Sql {
  const names = columns.map(({ column }) => sql('??', [`${alias}.${column}`]))
  const text = terms.map((term) => (terms.length > 1 ? '+' : '') + textForMysql(term)).join(' ')
  return sql('match(?) against (? in boolean mode)', [joined(names, ', '), text])
}

/** InnoDB finds rows by a full-text index in a statement of its own, and never in an `or`. */
const onMysql =
  (dialect: Dialect): WriteTerm =>
  (alias, { model, columns, term, by }) => {
    const { table, key } = model
    // With `coalesce`, this index is not used in place of the one that finds the rows.
    if (by === 'row')
      return anyOf(columns.map((column) => sql('coalesce(?)', [haveAll(alias, [column], [term])])))
    const sets = columns.map((column) =>
      sql('select ?? as ?? from ?? where ?', [key.column, 'found', table, haveAll(table, [column], [term])]),
    )
    return dialect.isIn(`${alias}.${key.column}`, joined(sets, ' union all '))
  }

export const termWriter = (name: DialectName, dialect: Dialect): WriteTerm =>
  ({ mysql: onMysql(dialect), sqlite: onSqlite, postgres: onPostgres })[name]
