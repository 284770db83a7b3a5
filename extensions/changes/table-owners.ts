import type { Model, Schema, Uid } from '../../lib/schema'

export type TableOwner =
  | { readonly holds: 'entries'; readonly types: readonly [Model] }
  /** Links of entries of these types, or their components; and the types at the other end of these links. */
  | { readonly holds: 'parts'; readonly types: readonly Model[]; readonly ends: readonly Model[] }

export type TableOwners = (table: string) => TableOwner | null

/** The type's name for headers and clients: that of permissions. */
export const publicName = ({ uid, singularName }: Model): string =>
  uid === `api::${singularName}.${singularName}` ? singularName : uid.slice(uid.indexOf('::') + 2)

function componentsOf({ models }: Schema, holder: Model): ReadonlySet<Model> {
  const held = new Set<Model>([holder])
  for (const { links, physical } of held) {
    for (const { role, targets } of [...links.values(), ...physical.hiddenLinks.values()]) {
      if (role !== 'component' && role !== 'zone') continue
      for (const uid of targets) {
        const component = models.get(uid)
        if (component !== undefined) held.add(component)
      }
    }
  }
  held.delete(holder)
  return held
}

function holdersOf(schema: Schema): ReadonlyMap<Uid, readonly Model[]> {
  const holders = new Map<Uid, Model[]>()
  for (const model of schema.models.values()) {
    if (model.kind === 'component') continue
    for (const { uid } of componentsOf(schema, model)) holders.set(uid, [...(holders.get(uid) ?? []), model])
  }
  return holders
}

/** For each join table, the types at its ends; components count as parts of the types that use them. */
function endsOf({ models }: Schema): ReadonlyMap<string, ReadonlySet<Model>> {
  const ends = new Map<string, Set<Model>>()
  for (const { links, physical } of models.values()) {
    for (const { link, targets } of [...links.values(), ...physical.hiddenLinks.values()]) {
      if (!('table' in link)) continue
      const found = targets.flatMap((uid) => models.get(uid) ?? []).filter(({ kind }) => kind !== 'component')
      ends.set(link.table, new Set([...(ends.get(link.table) ?? []), ...found]))
    }
  }
  return ends
}

/** The types of each table. Databases may ignore the case of names. */
export function tableOwners(schema: Schema): TableOwners {
  const holders = holdersOf(schema)
  const ends = endsOf(schema)
  const owners = new Map<string, TableOwner>()
  for (const model of schema.models.values()) {
    const { uid, kind, table, physical } = model
    const types = kind === 'component' ? (holders.get(uid) ?? []) : [model]
    const own: TableOwner =
      kind === 'component' ? { holds: 'parts', types, ends: [] } : { holds: 'entries', types: [model] }
    owners.set(table.toLowerCase(), own)
    for (const join of physical.joinTables)
      owners.set(join.table.toLowerCase(), { holds: 'parts', types, ends: [...(ends.get(join.table) ?? [])] })
  }
  return (table) => owners.get(table.toLowerCase()) ?? null
}
