import type { Link, LinkField, Model, Schema } from '../schema'

/** The columns by which a link's table is read: the key that is looked up, what is fixed, what sorts, what is taken. */
export interface Read {
  readonly table: string
  readonly key: string
  readonly fixed: readonly string[]
  readonly order: string | null
  readonly taken: readonly string[]
  /** Whether it is a join table: made for nothing but this. */
  readonly join: boolean
}

function readOf(link: Link, tables: readonly string[]): readonly Read[] {
  switch (link.via) {
    case 'here':
      return []
    case 'there': {
      const fixed = link.fixed.map(({ column }) => column)
      return tables.map((table) => ({ table, key: link.theirs, fixed, order: null, taken: [], join: false }))
    }
    case 'between':
    case 'mixed': {
      const fixed = link.fixed.map(({ column }) => column)
      const taken = link.via === 'mixed' ? [link.theirs, link.type] : [link.theirs]
      return [{ table: link.table, key: link.ours, fixed, order: link.order, taken, join: true }]
    }
  }
}

function readsOfField(schema: Schema, { link, targets }: LinkField): readonly Read[] {
  const tables = targets.map((uid) => schema.models.get(uid)?.table)
  return readOf(
    link,
    tables.filter((table) => table !== undefined),
  )
}

export function readsOf(schema: Schema, model: Model): readonly Read[] {
  return [...model.links.values()].flatMap((field) => readsOfField(schema, field))
}
