import type { Level } from '../plan'
import type { Column, KeyOfRows } from '../schema'
import { isLookedUp, keyOf, lookedUp, column, type SqlScope } from './sql-scope'
import { ordering, sortedBy, withJoins } from './order-by'
import { joined, Sql, sql, compile, type Positions, type Statement } from './statement'
import { publishedKey, where, whereInTime } from './where'

/** Key of a row, as it is compared with the keys in links. */
export type RowKey = number | string

type ReadKey = (value: unknown) => RowKey

const readers: Readonly<Record<KeyOfRows['type'], ReadKey>> = {
  integer: Number,
  /** Drivers return a 64-bit integer as a number or as a text. */
  biginteger: (value) => (Number.isSafeInteger(Number(value)) ? Number(value) : String(value)),
  string: String,
  uuid: String,
}

export const keyReader = ({ key }: { readonly key: KeyOfRows }): ReadKey => readers[key.type]

export function compareKeys(one: RowKey, other: RowKey): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  if (one === other) return 0
  return one < other ? -1 : 1
}

export interface Selection {
  readonly positions: Positions
  /** `isSorted`: all rows are sorted by the statement, not only picked ones. */
  readonly list: (scope: SqlScope, alias: string, isSorted: boolean) => Sql
}

export function positionOf(positions: Positions, column: string): number {
  const position = positions.get(column)
  if (position === undefined) throw new Error(`${column} is not read`)
  return position
}

/** Column of a condition that decides if a row shows an attribute. No real column has such a name. */
export const shownName = (shownIn: string): string => `? ${shownIn}`

type ReadColumn = Pick<Column, 'type' | 'extent' | 'shownIn' | 'isExisting'>

/** Rules are repeated for each guarded column, and the number of bindings is limited. */
const mostParts = 100

const partsIn = ({ parts }: Sql): number =>
  parts.reduce<number>((sum, part) => sum + (part instanceof Sql ? partsIn(part) : 1), 0)

/** Requested columns, the id, keys of branches, and the conditions that decide what a row shows. */
export function selectionOf(level: Level<never>): Selection {
  const { model, partly } = level
  const id = model.columns.get('id')
  if (id === undefined) throw new Error(`${model.uid} has no id`)
  const read = new Map<string, ReadColumn>([[id.column, id]])
  // The document id of an existing table may be its id.
  for (const own of level.columns) if (own.column !== id.column) read.set(own.column, own)
  for (const { field } of level.branches) {
    if (field.link.via === 'here')
      read
        .set(field.link.key, { type: 'id', extent: 'line' })
        .set(field.link.type, { type: 'string', extent: 'line' })
  }
  const list: Selection['list'] = (scope, alias, isSorted) => {
    const rows = { alias, model }
    const own = [...read].map(([name, attribute]) => {
      const { type, extent, isExisting } = attribute
      const reading = (from: string): Sql =>
        (isExisting === true ? scope.dialect.existing.value(from, type) : null) ??
        scope.dialect.read(from, type)
      const published = publishedKey(scope, alias, name, level.branches)
      if (published !== null) return published
      const value =
        isSorted && isLookedUp(scope, attribute)
          ? lookedUp(scope, rows, name, reading)
          : reading(column(alias, name))
      // Columns that may be long, or fail when they are read, are not read in rows that hide them.
      const isHeavy = type === 'json' || type === 'timestamp' || (type === 'string' && extent !== 'line')
      const shows = isHeavy && partly.find(({ shownIn }) => shownIn === attribute.shownIn)
      if (!shows) return value
      const isShown = where(scope, rows, shows.where)
      return partsIn(isShown) > mostParts ? value : sql('case when ? then ? end', [isShown, value])
    })
    const shown = partly.map((one) => sql('case when ? then 1 else 0 end', [where(scope, rows, one.where)]))
    return joined([...own, ...shown], ', ')
  }
  const names = [...read.keys(), ...partly.map(({ shownIn }) => shownName(shownIn))]
  return { positions: new Map(names.map((name, index) => [name, index])), list }
}

export function selectLinked(scope: SqlScope, level: Level<never>, selection: Selection): Statement {
  const { dialect } = scope
  const alias = scope.alias()
  const rows = { alias, model: level.model }
  const order = ordering(scope, rows, level.order)
  const parts = [
    selection.list(scope, alias, level.order.length > 0),
    withJoins(sql('?? as ??', [level.model.table, alias]), order),
    dialect.ids.isAmong(keyOf(rows)),
    whereInTime(scope, rows, level.where),
  ]
  const select = sortedBy(sql('select ? from ? where ? and ?', parts), order)
  return compile(scope, select, [selection.positions])
}
