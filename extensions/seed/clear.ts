import type { Knex } from 'knex'
import { type LinkField, type Model, modelOf, type Schema, type Uid } from '../../lib/schema'

/** Data that a repeated seed clears: one field of a row or, without a field, the whole row. */
export interface Cleared {
  readonly model: Model
  readonly id: number
  readonly field: LinkField | null
}

export interface Clearing {
  readonly knex: Knex
  readonly schema: Schema
  readonly hasTable: (table: string) => boolean
}

/** Rows with a foreign key, to be deleted, or columns of them, to be set to null. */
interface KeyRows {
  readonly table: string
  readonly column: string
  readonly where: Readonly<Record<string, string>>
  readonly emptied?: readonly string[]
}

const rowsAtOnce = 500

export const fieldsOf = ({ links, physical }: Model): readonly LinkField[] =>
  [...links.values(), ...physical.hiddenLinks.values()].filter(({ role }) => role !== 'localizations')

export const holdsComponents = ({ role }: LinkField): boolean => role === 'component' || role === 'zone'

export const fixedOf = ({ link }: LinkField): Readonly<Record<string, string>> =>
  link.via === 'here' ? {} : Object.fromEntries(link.fixed.map(({ column, value }) => [column, value]))

/** Keys of links from a row of the model. */
function fromOurs(schema: Schema, model: Model, field: LinkField): readonly KeyRows[] {
  const { link, targets } = field
  const where = fixedOf(field)
  if (link.via === 'here')
    return [{ table: model.table, column: 'id', where, emptied: [link.key, link.type] }]
  if (link.via === 'there')
    return targets.map((uid) => {
      const { table } = modelOf(schema, uid)
      return { table, column: link.theirs, where, emptied: [link.theirs] }
    })
  const key = { table: link.table, column: link.ours, where }
  return [link.ours === 'id' ? { ...key, emptied: [link.theirs] } : key]
}

/** Keys of links to a row of the type. */
function fromTheirs(owner: Model, field: LinkField, uid: Uid): readonly KeyRows[] {
  const { link } = field
  if (link.via === 'there') return []
  if (link.via === 'here') {
    const { key, type } = link
    return [{ table: owner.table, column: key, where: { [type]: uid }, emptied: [key, type] }]
  }
  const where = { ...fixedOf(field), ...(link.via === 'mixed' ? { [link.type]: uid } : {}) }
  const key = { table: link.table, column: link.theirs, where }
  return [link.ours === 'id' ? { ...key, emptied: [link.theirs] } : key]
}

async function clearKeys(
  { knex, hasTable }: Clearing,
  keys: readonly KeyRows[],
  ids: readonly number[],
): Promise<void> {
  for (const { table, column, where, emptied } of keys.filter((key) => hasTable(key.table)))
    for (let at = 0; at < ids.length; at += rowsAtOnce) {
      const rows = knex(table)
        .where(where)
        .whereIn(column, ids.slice(at, at + rowsAtOnce))
      if (emptied === undefined) await rows.delete()
      else await rows.update(Object.fromEntries(emptied.map((name) => [name, null])))
    }
}

interface UsedComponent {
  readonly id: number
  readonly field: string
  readonly cmp_id: number
  readonly component_type: string
}

async function clearField(
  clearing: Clearing,
  model: Model,
  field: LinkField,
  ids: readonly number[],
): Promise<void> {
  const { knex, schema } = clearing
  const [key] = fromOurs(schema, model, field)
  if (key === undefined || !holdsComponents(field))
    return clearKeys(clearing, fromOurs(schema, model, field), ids)
  for (let at = 0; at < ids.length; at += rowsAtOnce) {
    const all = await knex<UsedComponent>(key.table)
      .whereIn('entity_id' as never, ids.slice(at, at + rowsAtOnce) as never)
      .select('id', 'field', 'cmp_id', 'component_type')
    // Collations may ignore case, so names are compared here.
    const held = (all as readonly UsedComponent[]).filter((one) => one.field === field.name)
    for (const uid of field.targets) {
      const own = held.filter(({ component_type }) => component_type === (uid as string))
      await deleteRows(
        clearing,
        modelOf(schema, uid),
        own.map(({ cmp_id }) => cmp_id),
      )
    }
    const links = { table: key.table, column: 'id', where: {} }
    await clearKeys(
      clearing,
      [links],
      held.map(({ id }) => id),
    )
  }
}

/** Includes links and components: SQLite enforces no foreign keys by default, and components have none. */
export async function deleteRows(clearing: Clearing, model: Model, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  for (const field of fieldsOf(model)) await clearField(clearing, model, field, ids)
  for (const owner of clearing.schema.models.values())
    for (const field of fieldsOf(owner))
      if (field.targets.includes(model.uid) && !holdsComponents(field))
        await clearKeys(clearing, fromTheirs(owner, field, model.uid), ids)
  await clearKeys(clearing, [{ table: model.table, column: 'id', where: {} }], ids)
}

export async function clear(clearing: Clearing, removals: readonly Cleared[]): Promise<void> {
  for (const { model, id, field } of removals)
    if (field === null) await deleteRows(clearing, model, [id])
    else await clearField(clearing, model, field, [id])
}

/** A target that can have only one partner leaves its former one. */
export async function clearFormerPartners(
  clearing: Clearing,
  rowsOf: (table: string) => readonly { readonly columns: Readonly<Record<string, unknown>> }[],
): Promise<void> {
  for (const owner of clearing.schema.models.values())
    for (const field of fieldsOf(owner)) {
      const { link } = field
      if (field.role !== 'relation' || link.via !== 'between' || link.ours === 'id') continue
      const back = field.targets.flatMap((uid) => fieldsOf(modelOf(clearing.schema, uid)))
      const isBack = ({ link: other }: LinkField): boolean =>
        other.via === 'between' && other.table === link.table && other.ours === link.theirs
      const inverse = back.find(isBack)
      if (inverse === undefined || inverse.many) continue
      const ids = rowsOf(link.table).map(({ columns }) => Number(columns[link.theirs]))
      await clearKeys(clearing, [{ table: link.table, column: link.theirs, where: {} }], ids)
    }
}
