import { type AskedFields, includesAll } from '../query'
import type { Column, Model } from '../schema'
import { type Planning, unknownName } from './planning'

const always = ['id', 'documentId']

const isStored = (planning: Planning, model: Model, column: Column): boolean =>
  column.name !== 'documentId' || model.kind !== 'component' || planning.hasColumn(model, column.column)

/** The attribute of a name, where rows have it: in tables that Strapi made, parts have no document ids. */
export function storedColumn(planning: Planning, model: Model, name: string): Column | undefined {
  const column = model.columns.get(name)
  return column !== undefined && isStored(planning, model, column) ? column : undefined
}

/** The scalar attributes to answer; `id` and `documentId` are always among them. */
export function chooseColumns(planning: Planning, model: Model, fields: AskedFields): readonly Column[] {
  const all = [...model.columns.values()].filter((column) => isStored(planning, model, column))
  if (fields === '*') return all
  for (const name of fields.names) {
    if (name !== '*' && !model.columns.has(name))
      throw unknownName(planning, [...fields.path, name], name, all)
  }
  if (includesAll(fields)) return all
  return all.filter(({ name }) => always.includes(name) || fields.names.includes(name))
}
