import { areWaysFew, decidingOrders, isOwnId, type Level, type Order, type Step } from '../plan'
import type { ColumnType } from '../schema'

import { comparable } from './comparable'
import { placed } from './placed-joins'
import { column, follow, type SqlScope } from './sql-scope'
import { all, joined, type Sql, sql } from './sql'
import { where } from './where'

interface Path {
  readonly tables: Sql
  readonly tie: Sql
  readonly end: string
}

function firstStep(scope: SqlScope, from: string, step: Step): Path {
  const end = scope.alias()
  const to = { alias: end, model: step.target }
  const shown = where({ ...scope, isInSet: true }, to, step.visible)
  const { tables, tie, conditions } = follow(scope, step.field.link, { from, to, shown })
  return { tables, tie: all([sql('?? = ??', [tie.by, tie.from]), ...conditions]), end }
}

/** A row that leads no further counts as NULL, so the steps after the first are left joins. */
function nextStep(scope: SqlScope, path: Path, step: Step): Path {
  const { tables, tie, end } = firstStep(scope, path.end, step)
  const { link } = step.field
  const isOneTable = link.via === 'there' && link.ours === 'id'
  const join = isOneTable ? '? left join ? on ?' : '? left join (?) on ?'
  const joinedTables = sql(join, [path.tables, tables, scope.dialect.onOuter(tie)])
  return { tables: joinedTables, tie: path.tie, end }
}

/** Through a link that leads to many, an entry is placed by the first of their values. */
function walk(scope: SqlScope, alias: string, order: Order<never>): Sql {
  const [first, ...rest] = order.steps
  if (first === undefined) return comparable(scope, alias, order)
  let path = firstStep(scope, alias, first)
  for (const step of rest) path = nextStep(scope, path, step)
  const value = comparable(scope, path.end, order)
  const parts = [value, path.tables, path.tie]
  const direction = directionOf(scope, order)
  const leadsToOne = order.steps.every(({ field }) => !field.many)
  if (leadsToOne) return sql('(select ? from ? where ? limit 1)', parts)
  return sql(`(select ? from ? where ? order by ? ${direction} limit 1)`, [...parts, value])
}

/** An entry's own id is never NULL, and what is said of NULLs keeps PostgreSQL from using its index. */
function directionOf({ dialect, matching }: SqlScope, order: Order<never>): string {
  return isOwnId(order) ? order.direction : dialect.direction(order.direction, matching)
}

/** Whether entries are put in another order than that of their ids. */
export const isSorted = ({ order }: Pick<Level<never>, 'order'>): boolean => decidingOrders(order).length > 1

interface Key {
  readonly value: Sql
  readonly direction: string
  /** Whether it takes more than a look at the row. */
  readonly isFar: boolean
  /** Whether it is brought along from where the rows are put in order: lists are not to be gone through twice. */
  readonly isBrought: boolean
}

export interface Ordering {
  /** To be put behind what the rows are read from. They stay as many as they are. */
  readonly joins: readonly Sql[]
  readonly keys: readonly Key[]
}

/** By what the rows named `alias` are put in order. */
export function ordering(scope: SqlScope, alias: string, orders: readonly Order<never>[]): Ordering {
  const joins: Sql[] = []
  const keys = decidingOrders(orders).map((order): Key => {
    const direction = directionOf(scope, order)
    const isFar = order.steps.length > 0 || order.counted !== null
    if (areWaysFew(order)) {
      const isBrought = order.steps.some(({ field }) => field.many)
      return { value: walk(scope, alias, order), direction, isFar, isBrought }
    }
    const { join, place } = placed(scope, alias, order)
    joins.push(join)
    return { value: place, direction: 'asc', isFar, isBrought: true }
  })
  return { joins, keys }
}

/** A key whose value can be compared with that of another row, on whichever page it was. */
export interface ValueKey {
  readonly value: Sql
  readonly type: ColumnType
  readonly direction: Order<never>['direction']
  readonly nullsFirst: boolean
  /** Whether it may not be NULL. */
  readonly isSure: boolean
  readonly isFar: boolean
}

export interface ValueOrdering {
  readonly joins: readonly Sql[]
  readonly keys: readonly ValueKey[]
}

/** The same by values, which a cursor holds. A count is a value as well, however it is found. */
export function valueOrdering(
  scope: SqlScope,
  alias: string,
  orders: readonly Order<never>[],
): ValueOrdering {
  const { dialect, matching } = scope
  const joins: Sql[] = []
  const keys = decidingOrders(orders).map((order): ValueKey => {
    const { direction, counted, steps, column } = order
    const nullsFirst = dialect.nullsFirst(direction, matching)
    const { type } = column
    if (counted === null) {
      const value = walk(scope, alias, order)
      return { value, type, direction, nullsFirst, isSure: isOwnId(order), isFar: steps.length > 0 }
    }
    const { join, place } = placed(scope, alias, order)
    joins.push(join)
    return { value: place, type, direction: 'asc', nullsFirst, isSure: true, isFar: true }
  })
  return { joins, keys }
}

export function orderBy(keys: readonly Pick<Key, 'value' | 'direction'>[]): Sql {
  return joined(
    keys.map(({ value, direction }) => sql(`? ${direction}`, [value])),
    ', ',
  )
}

/** `tables` with what their rows are put in order by. */
export const withJoins = (tables: Sql, { joins }: Pick<Ordering, 'joins'>): Sql =>
  joined([tables, ...joins], ' ')

export interface Carried {
  /** Columns that bring the keys along. */
  readonly columns: readonly Sql[]
  readonly inside: Sql
  /** For where the columns are known as those of `picked`, and the rows by their own name. */
  readonly outside: Sql
}

/**
 * What comes of lists is brought along to where the rows are read whole. What a row leads to one of is looked up once more for
 * the rows of the page: to bring it along costs every row that is put in order.
 */
export function carried(keys: readonly Key[], picked: string): Carried {
  const named = keys.map((key, index) => ({ ...key, name: `key${String(index)}` }))
  const brought = named.filter(({ isBrought }) => isBrought)
  const by = (nameOf: (name: string) => string): Sql =>
    orderBy(named.map((key) => (key.isBrought ? { ...key, value: sql('??', [nameOf(key.name)]) } : key)))
  return {
    columns: brought.map(({ value, name }) => sql('? as ??', [value, name])),
    inside: by((name) => name),
    outside: by((name) => column(picked, name)),
  }
}

/** To sort by what links lead to takes long with any conditions. */
export const inTimeFor = (
  { dialect }: SqlScope,
  id: string,
  { keys }: { readonly keys: readonly Pick<Ordering['keys'][number], 'isFar'>[] },
): readonly Sql[] => (dialect.inTime !== null && keys.some(({ isFar }) => isFar) ? [dialect.inTime(id)] : [])
