import type { Database } from '../../lib/database'
import type { MissingIndex } from '../../lib/http'
import type { Schema } from '../../lib/schema'
import {
  dropOnSqlite,
  fillOnSqlite,
  type IndexedModel,
  type IndexPart,
  partsOnMysql,
  partsOnPostgres,
  partsOnSqlite,
} from './index-part'
import { attributesOf, searchedColumns, searchedModels, type SearchedTypes } from './searched-types'
import { wordTable } from './word-index'

type NamedRow = Readonly<Record<'name' | 'sql', string>>

async function rowsOf(
  { knex }: Database,
  text: string,
  values: readonly string[],
): Promise<readonly NamedRow[]> {
  const result: unknown = await knex.raw(text, values)
  if (!Array.isArray(result)) return (result as { readonly rows: readonly NamedRow[] }).rows
  const [first] = result as readonly unknown[]
  return (Array.isArray(first) ? first : result) as readonly NamedRow[]
}

/** An index of other attributes or of another form is created again. */
async function onSqlite(database: Database, indexed: IndexedModel): Promise<readonly string[]> {
  const { model } = indexed
  const table = wordTable(model)
  const found = await rowsOf(
    database,
    `select name, sql from sqlite_master where name = ? or (type = 'trigger' and tbl_name = ?)`,
    [table, model.table],
  )
  const parts = partsOnSqlite(indexed)
  const isThere = ({ name, statement }: IndexPart): boolean =>
    found.some((one) => one.name === name && one.sql.toLowerCase() === statement.toLowerCase())
  if (parts.every(isThere)) return []
  const isNew = !found.some(({ name }) => name.startsWith(table))
  return [
    ...(isNew ? [] : dropOnSqlite(model)),
    ...parts.map(({ statement }) => statement),
    fillOnSqlite(model),
  ]
}

async function onPostgres(database: Database, indexed: IndexedModel): Promise<readonly string[]> {
  const { table } = indexed.model
  const found = await rowsOf(
    database,
    `select attname as name from pg_attribute where attrelid = to_regclass(?) and attgenerated = 's' and not attisdropped
      union all select c.relname from pg_index i join pg_class c on c.oid = i.indexrelid
      where i.indrelid = to_regclass(?) and i.indisvalid`,
    [table, table].map((name) =>
      name
        .split('.')
        .map((part) => `"${part.replaceAll('"', '""')}"`)
        .join('.'),
    ),
  )
  const names = new Set(found.map(({ name }) => name))
  return partsOnPostgres(indexed).flatMap(({ name, statement }) => (names.has(name) ? [] : statement))
}

/** An index of the application serves too. */
async function onMysql(database: Database, indexed: IndexedModel): Promise<readonly string[]> {
  const found = await rowsOf(
    database,
    `select max(column_name) as name from information_schema.statistics
      where table_schema = database() and table_name = ? and index_type = 'FULLTEXT'
      group by index_name having count(*) = 1`,
    [indexed.model.table],
  )
  const names = new Set(found.map(({ name }) => name))
  return partsOnMysql(indexed).flatMap(({ name, statement }) => (names.has(name) ? [] : statement))
}

const missing = { sqlite: onSqlite, postgres: onPostgres, mysql: onMysql } as const

/** The statements that complete the indexes of the searched types. */
export async function missingIndexes(
  types: SearchedTypes,
  schema: Schema,
  database: Database,
): Promise<readonly MissingIndex[]> {
  const found: MissingIndex[] = []
  for (const model of searchedModels(schema, types)) {
    const columns = searchedColumns(model, attributesOf(types, model) ?? {}).map(({ column }) => column)
    const statements = await missing[database.dialect](database, { model, columns })
    if (statements.length > 0) found.push({ model, statements })
  }
  return found
}
