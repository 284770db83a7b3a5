import { adminUserUid, type ForeignKey, type Index, type Model, type Schema } from '../schema'
import { isServed } from './compare'
import type { ActualTables } from './read-tables'
import type { TableLayout } from './column-declaration'
import { readIndexes } from './read-indexes'

/** Strapi keeps who wrote an entry in a table of its own; where there is none, `compare` leaves these keys out. */
function creatorKeys({ physical }: Model): readonly ForeignKey[] {
  return ['created_by_id', 'updated_by_id'].flatMap((column): ForeignKey[] => {
    const index = physical.indexes.find(({ columns }) => columns.length === 1 && columns[0] === column)
    return index === undefined
      ? []
      : [{ name: index.name, column, table: 'admin_users', onDelete: 'SET NULL' }]
  })
}

function ownTable(model: Model): TableLayout {
  const { columns, indexes, foreignKeys } = model.physical
  const layout = {
    table: model.table,
    columns,
    indexes,
    foreignKeys: [...foreignKeys, ...creatorKeys(model)],
  }
  return model.uid === adminUserUid ? { ...layout, isPart: true } : layout
}

function withoutDocumentId(layout: TableLayout): TableLayout {
  return { ...layout, columns: layout.columns.filter(({ column }) => column !== 'document_id') }
}

function withIndexes(layout: TableLayout, indexes: readonly Index[]): TableLayout {
  const missing = indexes.filter((index) => !isServed(index, layout.indexes))
  return missing.length === 0 ? layout : { ...layout, indexes: [...layout.indexes, ...missing] }
}

/**
 * The tables of the definitions as Strapi 5 lays them out: the types' own first, as the join tables' keys lead to them.
 * A component table made without document ids (by Strapi) stays so: Strapi would leave the column empty as it writes.
 */
export function strapiTables(schema: Schema, actual: ActualTables): readonly TableLayout[] {
  const models = [...schema.models.values()]
  const bare = new Set(
    models
      .filter(
        ({ kind, table }) => kind === 'component' && actual.get(table)?.columns.has('document_id') === false,
      )
      .map(({ table }) => table),
  )
  const own = models
    .map(ownTable)
    .map((layout) => (bare.has(layout.table) ? withoutDocumentId(layout) : layout))
  return [...own, ...models.flatMap(({ physical }) => physical.joinTables)]
}

/** The same with the indexes that reading gains by. */
export function contentTables(schema: Schema, actual: ActualTables): readonly TableLayout[] {
  const extra = readIndexes(schema)
  const indexesOf = (name: string): readonly Index[] =>
    extra.filter(({ table }) => table === name).map(({ index }) => index)
  return strapiTables(schema, actual).map((layout) => withIndexes(layout, indexesOf(layout.table)))
}
