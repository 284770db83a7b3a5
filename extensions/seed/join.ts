import { once } from '../../lib/memory'
import type { Between, JoinTable, LinkField, Mixed, Model, Schema } from '../../lib/schema'
import { fixedOf } from './clear'
import type { RowToWrite, RowsToWrite } from './rows'

/** One use of a link: from our row to theirs, `position` counted from one. */
export interface LinkUse {
  readonly field: LinkField
  readonly ours: RowToWrite
  readonly theirs: RowToWrite
  readonly target: Model
  readonly position: number
}

/** An order column without a value, if the content lists only the other side of a relation. */
interface Open {
  readonly row: RowToWrite
  readonly table: string
  readonly order: string
  readonly group: string
}

export interface SeededJoins {
  readonly rows: RowsToWrite
  readonly joinTables: ReadonlyMap<string, JoinTable>
  readonly relations: Map<string, RowToWrite>
  readonly open: Open[]
}

export function makeJoins(schema: Schema, rows: RowsToWrite): SeededJoins {
  const tables = [...schema.models.values()].flatMap(({ physical }) => physical.joinTables)
  const joinTables = new Map(tables.map((table) => [table.table, table]))
  return { rows, joinTables, relations: new Map(), open: [] }
}

/** Both sides of a relation may be in the content; they are one row. */
function relationRow(
  { rows, relations }: SeededJoins,
  link: Between,
  { field, ours, theirs }: LinkUse,
): RowToWrite {
  const keys = [`${link.ours} ${String(ours.id)}`, `${link.theirs} ${String(theirs.id)}`].sort()
  const key = [link.table, ...keys].join('\n')
  const columns = { [link.ours]: ours.id, [link.theirs]: theirs.id, ...fixedOf(field) }
  return once(relations, key, () => rows.add(link.table, columns))
}

function joinRelation(joins: SeededJoins, link: Between, use: LinkUse): void {
  // A relation without a join table: our row holds the key.
  if (link.ours === 'id') {
    use.ours.columns[link.theirs] = use.theirs.id
    return
  }
  const row = relationRow(joins, link, use)
  if (link.order !== null) row.columns[link.order] = use.position
  const columns = joins.joinTables.get(link.table)?.columns ?? []
  const others = columns.filter(({ type, column }) => type === 'order' && column !== link.order)
  joins.open.push(
    ...others.map(({ column }) => ({ row, table: link.table, order: column, group: link.theirs })),
  )
}

/** Strapi leaves the order of a single component empty, and gives every other use one. */
const positionOf = ({ field, position }: LinkUse): number | null =>
  field.role === 'component' && !field.many ? null : position

function joinRow({ rows }: SeededJoins, link: Between | Mixed, use: LinkUse): void {
  const type = link.via === 'mixed' ? { [link.type]: use.target.uid } : {}
  const order = link.order === null ? {} : { [link.order]: positionOf(use) }
  const keys = { [link.ours]: use.ours.id, [link.theirs]: use.theirs.id }
  rows.add(link.table, { ...keys, ...type, ...fixedOf(use.field), ...order })
}

export function join(joins: SeededJoins, use: LinkUse): void {
  const { field, ours, theirs, target } = use
  const { link } = field
  switch (link.via) {
    case 'between':
      // Fixed values separate the uses of a table that several attributes share.
      if (link.fixed.length === 0) joinRelation(joins, link, use)
      else joinRow(joins, link, use)
      return
    case 'mixed':
      joinRow(joins, link, use)
      return
    case 'here':
      Object.assign(ours.columns, { [link.key]: theirs.id, [link.type]: target.uid })
      return
    case 'there':
      theirs.columns[link.theirs] =
        link.isOfDocument === true ? (ours.columns['document_id'] ?? null) : ours.id
      Object.assign(theirs.columns, fixedOf(field))
  }
}

const groupOf = ({ row, table, order, group }: Open): string =>
  [table, order, String(row.columns[group])].join('\n')

/** Numbers the open orders after the given ones, in the order of the content. */
export function numberOpenOrders({ open }: SeededJoins): void {
  const last = new Map<string, number>()
  for (const one of open) {
    const given = one.row.columns[one.order]
    if (typeof given === 'number') last.set(groupOf(one), Math.max(given, last.get(groupOf(one)) ?? 0))
  }
  for (const one of open.filter(({ row, order }) => row.columns[order] === undefined)) {
    const position = (last.get(groupOf(one)) ?? 0) + 1
    one.row.columns[one.order] = position
    last.set(groupOf(one), position)
  }
}
