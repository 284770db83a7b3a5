import { locales, media, roles } from '../../migrations'
import type { ContentRouterConfig, ContentTypesConfig } from '../config'
import { fileUid, type Schema, type Uid, userUid } from '../schema'
import { isServed } from './compare'
import { contentTables } from './content-tables'
import { allNeeds } from './needs'
import { isBuiltIn } from './none-there'
import type { ActualTables } from './read-tables'
import type { TableLayout } from './table-layout'

/** The tables that `migrate` can make without a definition. */
export const supportTables: ReadonlySet<string> = new Set(
  [...media, ...locales, ...roles].map(({ table }) => table),
)

/** Strapi's own tables decide who asks, or routes of its plugins serve them. */
function asksStrapi(config: ContentTypesConfig & Partial<ContentRouterConfig>): boolean {
  const { permissions, role, strapiRoutes } = config
  const isInDatabase = typeof permissions === 'object' && permissions['source'] === 'database'
  return strapiRoutes === true || isInDatabase || typeof role === 'object'
}

function together(support: TableLayout, own: TableLayout | undefined): TableLayout {
  if (own === undefined) return { ...support, isPart: true }
  const known = new Set(support.columns.map(({ column }) => column))
  return {
    ...support,
    columns: [...support.columns, ...own.columns.filter(({ column }) => !known.has(column))],
    indexes: [...support.indexes, ...own.indexes.filter((index) => !isServed(index, support.indexes))],
  }
}

/** The tables of the definitions, with the support tables that the definitions or options use. */
export function wantedTables(
  config: ContentTypesConfig,
  schema: Schema,
  actual: ActualTables,
): readonly TableLayout[] {
  const usesAll = asksStrapi(config)
  // Private attributes need their tables, too.
  const reached = allNeeds(schema.whole()).models
  const used = [...schema.models].filter(([uid, model]) => usesAll || !isBuiltIn(model) || reached.has(uid))
  const models = new Map(used)
  const support = [
    ...(models.has(fileUid as Uid) ? media : []),
    ...(usesAll || used.some(([, { localized }]) => localized) ? locales : []),
    ...(models.has(userUid as Uid) ? roles : []),
  ]
  const own = new Map(contentTables({ ...schema, models }, actual).map((layout) => [layout.table, layout]))
  const merged = support.map((layout) => together(layout, own.get(layout.table)))
  const names = new Set(merged.map(({ table }) => table))
  return [...merged, ...[...own.values()].filter(({ table }) => !names.has(table))]
}
