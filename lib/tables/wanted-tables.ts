import { locales, media, roles } from '../../migrations'
import { fileUid, localeUid, type Schema, type Uid, userUid } from '../schema'
import { isServed } from './compare'
import { contentTables } from './content-tables'
import { allNeeds, type TableNeeds } from './needs'
import { isBuiltIn } from './none-there'
import type { ActualTables } from './read-tables'
import type { TableLayout } from './table-layout'

function together(support: TableLayout, own: TableLayout | undefined): TableLayout {
  if (own === undefined) return { ...support, isPart: true }
  const known = new Set(support.columns.map(({ column }) => column))
  return {
    ...support,
    columns: [...support.columns, ...own.columns.filter(({ column }) => !known.has(column))],
    indexes: [...support.indexes, ...own.indexes.filter((index) => !isServed(index, support.indexes))],
  }
}

/** The tables of the definitions, with the support tables that the definitions or requests need. */
export function wantedTables(
  schema: Schema,
  needs: TableNeeds,
  actual: ActualTables,
): readonly TableLayout[] {
  // Private attributes need their tables, too.
  const reached = allNeeds(schema.whole()).models
  const used = [...schema.models].filter(
    ([uid, model]) => !isBuiltIn(model) || reached.has(uid) || needs.models.has(uid),
  )
  const models = new Map(used)
  const asked = new Set(needs.asked.flatMap(({ table, isOptional }) => (isOptional === true ? [] : table)))
  const usesOne = (uid: string, layouts: readonly TableLayout[]): boolean =>
    models.has(uid as Uid) || layouts.some(({ table }) => asked.has(table))
  const isLocalized = used.some(([, { localized }]) => localized)
  const support = [
    ...(usesOne(fileUid, media) ? media : []),
    ...(isLocalized || usesOne(localeUid, locales) ? locales : []),
    ...(usesOne(userUid, roles) ? roles : []),
  ]
  const own = new Map(contentTables({ ...schema, models }, actual).map((layout) => [layout.table, layout]))
  const merged = support.map((layout) => together(layout, own.get(layout.table)))
  const names = new Set(merged.map(({ table }) => table))
  return [...merged, ...[...own.values()].filter(({ table }) => !names.has(table))]
}
