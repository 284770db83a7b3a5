import type { Index, Model, PhysicalColumn, Schema } from '../schema'
import { isServed } from './compare'
import type { TableLayout } from './layout'
import { readIndexes } from './read-indexes'
import { shortName } from './short-name'

const creators = ['created_by_id', 'updated_by_id']
const documentId: PhysicalColumn = { column: 'document_id', type: 'string' }

const has = (model: Model, name: string): boolean =>
  model.physical.columns.some(({ column }) => column === name)

/** Strapi gives its components no document id; those that are made here have one. */
function columnsOf(model: Model): readonly PhysicalColumn[] {
  const [id, ...others] = model.physical.columns
  if (id === undefined || model.kind !== 'component' || has(model, 'document_id'))
    return model.physical.columns
  return [id, documentId, ...others]
}

function ownTable(model: Model): TableLayout {
  const { table } = model
  const creatorColumns = creators.filter((creator) => has(model, creator))
  const documents = {
    name: shortName(table, 'documents', 'idx'),
    columns: ['document_id', 'locale', 'published_at'],
    unique: false,
  }
  const foreignKey = (column: string): string => shortName(table, column, 'fk')
  return {
    table,
    columns: columnsOf(model),
    indexes: [
      ...(model.kind === 'component' ? [] : [documents]),
      ...creatorColumns.map((column) => ({ name: foreignKey(column), columns: [column], unique: false })),
    ],
    foreignKeys: creatorColumns.map((column) => ({
      name: foreignKey(column),
      column,
      table: 'admin_users',
      onDelete: 'SET NULL',
    })),
  }
}

function withIndexes(layout: TableLayout, indexes: readonly Index[]): TableLayout {
  const missing = indexes.filter((index) => !isServed(index, layout.indexes))
  return missing.length === 0 ? layout : { ...layout, indexes: [...layout.indexes, ...missing] }
}

/** The tables of the definitions as Strapi 5 lays them out: the types' own first, as the join tables' keys lead to them. */
export function strapiTables(schema: Schema): readonly TableLayout[] {
  const models = [...schema.models.values()]
  return [...models.map(ownTable), ...models.flatMap(({ physical }) => physical.joinTables)]
}

/** The same with the indexes that reading gains by. */
export function contentTables(schema: Schema): readonly TableLayout[] {
  const extra = readIndexes(schema)
  const indexesOf = (name: string): readonly Index[] =>
    extra.filter(({ table }) => table === name).map(({ index }) => index)
  return strapiTables(schema).map((layout) => withIndexes(layout, indexesOf(layout.table)))
}
