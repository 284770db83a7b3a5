import { type Database, driverOf } from '../../lib/database'
import type { MissingIndex } from '../../lib/http'
import type { Column, Model, Schema } from '../../lib/schema'
import { quoteName } from '../../lib/tables'
import { type Language, languagesOf, wordsOfText } from './languages'
import { attributesOf, indexedColumns, type SearchSettings } from './searched-types'
import { wordColumn, wordIndex, wordTable } from './word-index'

interface IndexedModel {
  readonly quote: (name: string) => string
  readonly namesIn: (statement: string, values: string[]) => Promise<readonly string[]>
  readonly model: Model
  readonly columns: readonly Column[]
  readonly together: readonly Column[]
  readonly languages: readonly Language[]
}

/** Returns the statements that create the missing indexes. */
type CreateIndexes = (indexed: IndexedModel) => Promise<readonly string[]>

/** The virtual table contains words and no texts. Triggers keep the table current. An index of another form is created again. */
const onSqlite: CreateIndexes = async ({ quote, namesIn, model, columns }) => {
  const text = (name: string): string => `'${name.replaceAll("'", "''")}'`
  const triggers = ['insert', 'delete', 'update'].map((event) => `${wordTable(model)}_${event}`)
  const [inserted = '', deleted = '', updated = ''] = triggers.map(quote)
  const [table, own, id] = [quote(wordTable(model)), quote(model.table), quote(model.key.column)]
  const names = columns.map(({ column }) => quote(column))
  const listed = ['rowid', ...names].join(', ')
  const valuesOf = (row: string): string => [id, ...names].map((column) => `${row}.${column}`).join(', ')
  const add = `insert into ${table} (${listed}) values (${valuesOf('new')});`
  const remove = `insert into ${table} (${table}, ${listed}) values ('delete', ${valuesOf('old')});`
  const content = `content=${text(model.table)}, content_rowid=${text(model.key.column)}`
  const options = `${content}, tokenize='unicode61 remove_diacritics 2', prefix='2 3'`
  const create = [
    `create virtual table ${table} using fts5(${names.join(', ')}, ${options})`,
    `create trigger ${inserted} after insert on ${own} begin ${add} end`,
    `create trigger ${deleted} after delete on ${own} begin ${remove} end`,
    `create trigger ${updated} after update of ${[id, ...names].join(', ')} on ${own} begin ${remove} ${add} end`,
  ]
  const statement = 'select lower(sql) as name from sqlite_master where name in (?, ?, ?, ?)'
  const found = await namesIn(statement, [wordTable(model), ...triggers])
  if (create.every((one) => found.includes(one.toLowerCase()))) return []
  const drop = [
    ...triggers.map((name) => `drop trigger if exists ${quote(name)}`),
    `drop table if exists ${table}`,
  ]
  const fill = [...create, `insert into ${table} (${table}) values ('rebuild')`]
  return found.length === 0 ? fill : [...drop, ...fill]
}

/** Each attribute has a column with its words, and one with its stems in each language. */
const onPostgres: CreateIndexes = async ({ quote, namesIn, model, columns, languages }) => {
  const table = quote(model.table)
  const found = await namesIn(
    `select attname as name from pg_attribute where attrelid = to_regclass(?) and attgenerated = 's' and not attisdropped
      union all select c.relname from pg_index i join pg_class c on c.oid = i.indexrelid
      where i.indrelid = to_regclass(?) and i.indisvalid`,
    [table, table],
  )
  const wanted = columns.flatMap((column) =>
    [undefined, ...languages].map((language) => ({
      name: wordColumn(column, language),
      index: wordIndex(model, column.column, language),
      value: wordsOfText(quote(column.column), language),
    })),
  )
  if (wanted.every(({ name, index }) => found.includes(name) && found.includes(index))) return []
  const added = wanted.map(
    ({ name, value }) =>
      `add column if not exists ${quote(name)} tsvector generated always as (${value}) stored`,
  )
  const indexed = wanted.map(
    ({ name, index }) => `create index if not exists ${quote(index)} on ${table} using gin (${quote(name)})`,
  )
  // Each statement rewrites the table, so that one adds all columns.
  return [`alter table ${table} ${added.join(', ')}`, ...indexed]
}

/** An index for each attribute, and one for all attributes. Indexes of the application serve, too. */
const onMysql: CreateIndexes = async ({ quote, namesIn, model, columns, together }) => {
  const found = await namesIn(
    `select group_concat(column_name) as name from information_schema.statistics
      where table_schema = database() and table_name = ? and index_type = 'FULLTEXT' group by index_name`,
    [model.table],
  )
  const inOrder = (names: readonly string[]): string => [...names].sort().join()
  const known = found.map((names) => inOrder(names.split(',')))
  const wanted = [...columns.map((one) => [one]), ...(together.length > 1 ? [together] : [])]
  return wanted
    .map((indexed) => indexed.map(({ column }) => column))
    .filter((names) => !known.includes(inOrder(names)))
    .map((names) => {
      const index = quote(wordIndex(model, names.length > 1 ? 'together' : names.join()))
      return `create fulltext index ${index} on ${quote(model.table)} (${names.map(quote).join(', ')})`
    })
}

const missing = { sqlite: onSqlite, postgres: onPostgres, mysql: onMysql } as const

export async function missingIndexes(
  { types, languages }: SearchSettings,
  schema: Schema,
  database: Database,
): Promise<readonly MissingIndex[]> {
  const quote = (name: string): string => quoteName(database, name)
  const namesIn: IndexedModel['namesIn'] = async (statement, values) => {
    const rows = driverOf(database).rowsIn(await database.knex.raw(statement, values))
    return (rows as readonly { readonly name: string }[]).map(({ name }) => name)
  }
  const found: MissingIndex[] = []
  for (const [model, indexed] of indexedColumns(schema, types)) {
    const spoken = languagesOf(languages, model, database)
    const paths = Object.keys(attributesOf(types, model) ?? {})
    const own = paths.flatMap((path) => model.columns.get(path) ?? [])
    const together = own.length === paths.length ? own : []
    const searched = { quote, namesIn, model, columns: [...indexed], together, languages: spoken }
    const statements = await missing[database.dialect](searched)
    if (statements.length > 0) found.push({ model, statements })
  }
  return found
}
