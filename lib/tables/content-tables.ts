import { adminUserUid, type Model, type Schema } from '../schema'
import { readIndexes } from './indexes'
import { type ActualTables, isServed } from './read-tables'
import type { TableLayout } from './table-dialect'

export const isBuiltIn = ({ route, kind }: Model): boolean => route === null && kind !== 'component'

function ownTable(model: Model, actual: ActualTables): TableLayout {
  const { columns, indexes, foreignKeys } = model.physical
  const isBare = model.kind === 'component' && actual.get(model.table)?.columns.has('document_id') === false
  return {
    table: model.table,
    columns: isBare ? columns.filter(({ column }) => column !== 'document_id') : columns,
    indexes,
    foreignKeys,
    ...(model.uid === adminUserUid ? ({ isPart: true } as const) : {}),
    ...(model.physical.isExisting ? ({ isExisting: true } as const) : {}),
  }
}

/**
 * Types come before the join tables that refer to them. Strapi's component tables stay without document ids, because
 * Strapi would not fill them.
 */
export function strapiTables(schema: Schema, actual: ActualTables): readonly TableLayout[] {
  const models = [...schema.models.values()]
  const own = models.map((model) => ownTable(model, actual))
  return [...own, ...models.flatMap(({ physical }) => physical.joinTables)]
}

export function contentTables(schema: Schema, actual: ActualTables): readonly TableLayout[] {
  const extra = readIndexes(schema)
  return strapiTables(schema, actual).map((layout) => {
    const wanted = extra.flatMap(({ table, index }) => (table === layout.table ? index : []))
    const missing = wanted.filter((index) => !isServed(index, layout.indexes))
    return { ...layout, indexes: [...layout.indexes, ...missing] }
  })
}
