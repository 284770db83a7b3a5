import type { Fixed, LinkField, LinkRole, Model, Schema } from '../schema'

/** The columns by which a link's table is read: the key that is looked up, what is fixed, what sorts, what is taken. */
export interface LinkColumns {
  readonly table: string
  readonly key: string
  readonly fixed: readonly string[]
  readonly order: string | null
  readonly taken: readonly string[]
  /** Whether it is a join table: made for nothing but this. */
  readonly join: boolean
}

/**
 * The field tells the type of a component, not that of a zone's element. One index is to serve both, and to stay the
 * same when a type that has components gets a zone.
 */
const isSpread = (role: LinkRole, { column }: Fixed): boolean =>
  role === 'component' && column === 'component_type'

function readOf({ link, role }: LinkField, tables: readonly string[]): readonly LinkColumns[] {
  switch (link.via) {
    case 'here':
      return []
    case 'there': {
      const fixed = link.fixed.map(({ column }) => column)
      return tables.map((table) => ({ table, key: link.theirs, fixed, order: null, taken: [], join: false }))
    }
    case 'between':
    case 'mixed': {
      const spread = link.fixed.filter((one) => isSpread(role, one)).map(({ column }) => column)
      const fixed = link.fixed.map(({ column }) => column).filter((column) => !spread.includes(column))
      const told = link.via === 'mixed' && link.told !== undefined ? ['field'] : []
      const taken = link.via === 'mixed' ? [link.theirs, link.type, ...told] : [link.theirs, ...spread]
      return [{ table: link.table, key: link.ours, fixed, order: link.order, taken, join: true }]
    }
  }
}

function readsOfField(schema: Schema, field: LinkField): readonly LinkColumns[] {
  const tables = field.targets.map((uid) => schema.models.get(uid)?.table)
  return readOf(
    field,
    tables.filter((table) => table !== undefined),
  )
}

export function linkReadsOf(schema: Schema, model: Model): readonly LinkColumns[] {
  return [...model.links.values()].flatMap((field) => readsOfField(schema, field))
}

/** The columns by which one entry of a type is asked for. */
export function lookupsOf({ kind, route, columns }: Model): readonly string[] {
  if (kind !== 'collectionType' || route === null) return []
  return [...columns.values()].filter(({ identifies }) => identifies).map(({ column }) => column)
}
