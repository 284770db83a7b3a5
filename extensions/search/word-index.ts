import type { DialectName } from '../../lib/database'
import type { Column, Model } from '../../lib/schema'
import { anyOf, type Dialect, joined, type Sql, sql } from '../../lib/sql'
import { foldText, type Term } from './search-text'

/** The longest name of PostgreSQL. */
const longestName = 63

const shortName = (name: string): string => name.slice(0, longestName)

const tableName = ({ table }: Model): string => table.split('.').at(-1) ?? table

/** SQLite: the virtual table with the words of a type. */
export const wordTable = (model: Model): string => `cr_${tableName(model)}_words`

/** PostgreSQL: the generated column with the words of an attribute. */
export const wordColumn = (column: Column): string => shortName(`cr_words_${column.column}`)

export const wordIndex = (model: Model, column: Column): string =>
  shortName(`cr_${tableName(model)}_${column.column}_words`)

const quoted = (words: readonly string[]): string => `"${words.join(' ')}"`

function textForSqlite(columns: readonly Column[], { words, isPrefix }: Term): string {
  const names = columns.map(({ column }) => `"${column.replaceAll('"', '""')}"`)
  return `{${names.join(' ')}} : ${quoted(words)}${isPrefix ? ' *' : ''}`
}

function textForMysql({ words, isPrefix }: Term): string {
  const [word = ''] = words
  if (words.length > 1) return quoted(words)
  return isPrefix ? `${word}*` : word
}

/** Words contain letters and digits only, so that no quote ends them. */
const textForPostgres = ({ words, isPrefix }: Term): string =>
  words.map((word) => `'${foldText(word).replaceAll("'", '')}'`).join(' <-> ') + (isPrefix ? ':*' : '')

/** Rows that have the term in one of the columns. */
export interface TermRows {
  readonly model: Model
  readonly columns: readonly Column[]
  readonly term: Term
}

/** Writes the condition on a row. It is not NULL if the term is excluded. */
type WriteTerm = (alias: string, rows: TermRows) => Sql

const keyIn = (alias: string, { key }: Model): string => `${alias}.${key.column}`

const onSqlite: WriteTerm = (alias, { model, columns, term }) => {
  const table = wordTable(model)
  const found = sql('select ?? from ?? where ?? match ?', [
    'rowid',
    table,
    table,
    textForSqlite(columns, term),
  ])
  return sql(`?? ${term.isExcluded ? 'not in' : 'in'} (?)`, [keyIn(alias, model), found])
}

const onPostgres: WriteTerm = (alias, { columns, term }) => {
  const value = textForPostgres(term)
  const met = columns.map((column) =>
    sql('?? @@ cast(? as tsquery)', [`${alias}.${wordColumn(column)}`, value]),
  )
  return term.isExcluded ? sql('not coalesce(?, false)', [anyOf(met)]) : anyOf(met)
}

/** InnoDB uses a full-text index in a statement of its own, and never in an `or`. */
const onMysql =
  (dialect: Dialect): WriteTerm =>
  (alias, { model, columns, term }) => {
    const sets = columns.map(({ column }) =>
      sql('select ?? as ?? from ?? where match(??) against (? in boolean mode)', [
        ...[model.key.column, 'found', model.table, column, textForMysql(term)],
      ]),
    )
    const found = joined(sets, ' union all ')
    const key = keyIn(alias, model)
    return term.isExcluded ? dialect.isNotIn(key, found) : dialect.isIn(key, found)
  }

export function termWriter(name: DialectName, dialect: Dialect): WriteTerm {
  if (name === 'mysql') return onMysql(dialect)
  return name === 'sqlite' ? onSqlite : onPostgres
}
