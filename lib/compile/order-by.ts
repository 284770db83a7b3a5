import {
  areWaysFew,
  decidingOrders,
  isOwnId,
  type Level,
  type Order,
  type Step,
  type CountedLink,
} from '../plan'
import type { ColumnType } from '../schema'
import {
  areNullsFirst,
  column,
  follow,
  sortDirection,
  type SqlScope,
  isLookedUp,
  lookedUp,
} from './sql-scope'
import { all, joined, type Sql, sql, whole } from './sql'
import { where, linkedOwners } from './where'

/** What a value is put in order by. MySQL orders a TIMESTAMP by the time of day of the session's zone, where an hour comes twice a year. */
function comparable(scope: SqlScope, alias: string, { column: by, table }: Order<never>): Sql {
  const { column: name, type, extent } = by
  const { dialect, matching } = scope
  const { sortedJson } = dialect
  if (type === 'json' && sortedJson !== null)
    return lookedUp(scope, { alias, table }, name, (own) => sortedJson(sql('??', [own])))
  const value = sql('??', [column(alias, name)])
  if (type === 'timestamp') return dialect.comparison(type).compared(value)
  return type === 'string' ? dialect.text[matching].sorted(value, extent === 'line') : value
}

/** What is NULL where there is nothing to put a row in order by. */
const perhapsNull = (scope: SqlScope, alias: string, order: Order<never>): Sql =>
  isLookedUp(scope, order.column)
    ? comparable(scope, alias, order)
    : sql('??', [column(alias, order.column.column)])

/** Of a row that has no value; all others have places from 1 on. */
const beforeAll = 0
const behindAll = Number.MAX_SAFE_INTEGER

/** Where NULLs stand, as do ways that lead no further. */
const ofNull = (scope: SqlScope, { direction }: Order<never>): number =>
  areNullsFirst(scope, direction) ? beforeAll : behindAll

/** The place of each row at the end of a path: the same for equal values. */
function placesAtEnd(scope: SqlScope, { target, visible }: Step, order: Order<never>): Sql {
  const alias = scope.alias()
  const direction = sortDirection(scope, order.direction)
  const place = `case when ? is null then ? else dense_rank() over (order by ? ${direction}) end`
  return sql(`select ?? as ??, ${place} as ?? from ?? as ?? where ?`, [
    ...[column(alias, 'id'), 'found', perhapsNull(scope, alias, order), whole(ofNull(scope, order))],
    ...[comparable(scope, alias, order), 'place', target.table, alias],
    where(scope, { alias, model: target }, visible),
  ])
}

/**
 * How many entries a link leads each row to, as places: backwards the most come first. Asked of the sorted rows themselves
 * MariaDB looks each count up by an index; at the end of a path it would do so for every way there.
 */
function countsAtEnd(
  scope: SqlScope,
  { model, steps }: CountedLink,
  { direction, steps: path }: Order<never>,
): Sql {
  const { dialect } = scope
  const count = direction === 'asc' ? 'count(*)' : '-count(*)'
  const ways = steps.map((step) =>
    linkedOwners(scope, model, step, (rows) => where(scope, rows, step.visible)),
  )
  const [only] = ways
  // Where no component is left of a zone.
  if (only === undefined)
    return sql('select ?? as ??, 0 as ?? from ?? where 1 = 0', ['id', 'found', 'place', model.table])
  if (ways.length === 1 && path.length === 0) {
    const { id, tables, conditions } = only
    const key = dialect.groupKey(id)
    const list = [key, 'found', 'place', tables, all(conditions), key]
    return sql(`${dialect.joinOrder.select} ? as ??, ${count} as ?? from ? where ? group by ?`, list)
  }
  const selects = ways.map(({ id, tables, conditions }) => {
    const list = [dialect.groupKey(id), 'found', tables, all(conditions)]
    return sql(`${dialect.joinOrder.select} ? as ?? from ? where ?`, list)
  })
  const entries = joined(selects, ' union all ')
  return sql(`select ??, ${count} as ?? from (?) as ?? group by ??`, [
    ...['found', 'place', entries, 'linked', 'found'],
  ])
}

const joinTo = ({ dialect }: SqlScope, alias: string, [set, places]: readonly [string, Sql]): Sql =>
  sql('left join (?) as ?? on ?? = ?', [
    places,
    set,
    column(set, 'found'),
    dialect.groupKey(column(alias, 'id')),
  ])

/** What leads nowhere leads to none. */
const placeIn = (scope: SqlScope, set: string, order: Order<never>): Sql =>
  sql('coalesce(??, ?)', [column(set, 'place'), whole(order.counted === null ? ofNull(scope, order) : 0)])

/** The first place of those that a link leads each row to. */
function placesBefore(
  scope: SqlScope,
  { field, target, visible }: Step,
  order: Order<never>,
  further: Sql,
): Sql {
  const [to, set] = [scope.alias(), scope.alias()]
  const rows = { alias: to, model: target }
  const shown = where(scope, rows, visible)
  const { tables, tie, conditions } = follow(scope, field.link, { from: to, to: rows, shown })
  const key = scope.dialect.groupKey(tie.by)
  return sql('select ? as ??, min(?) as ?? from ? where ? group by ?', [
    ...[key, 'found', placeIn(scope, set, order), 'place'],
    ...[joined([tables, joinTo(scope, to, [set, further])], ' '), all(conditions), key],
  ])
}

function placesOfEnd(scope: SqlScope, order: Order<never>): Sql {
  if (order.counted !== null) return countsAtEnd(scope, order.counted, order)
  const end = order.steps.at(-1)
  if (end === undefined) throw new Error('a path leads through links')
  return placesAtEnd(scope, end, order)
}

interface PlacedJoins {
  /** To be joined to the rows, which stay as many as they are. */
  readonly join: Sql
  /** Never NULL, and first where the row is to be first. */
  readonly place: Sql
}

/**
 * The rows named `alias` by the first value that a path leads each of them to. Worked out link by link from the far end,
 * once for all rows of a table: there are far more ways along a path than rows on it.
 */
function placed(scope: SqlScope, alias: string, order: Order<never>): PlacedJoins {
  const places = order.steps.reduceRight(
    (further, step) => placesBefore(scope, step, order, further),
    placesOfEnd(scope, order),
  )
  const set = scope.alias()
  return { join: joinTo(scope, alias, [set, places]), place: placeIn(scope, set, order) }
}

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
function directionOf(scope: SqlScope, order: Order<never>): string {
  return isOwnId(order) ? order.direction : sortDirection(scope, order.direction)
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
  const joins: Sql[] = []
  const keys = decidingOrders(orders).map((order): ValueKey => {
    const { direction, counted, steps, column } = order
    const nullsFirst = areNullsFirst(scope, direction)
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
): readonly Sql[] =>
  dialect.timeLimit !== null && keys.some(({ isFar }) => isFar) ? [dialect.timeLimit.condition(id)] : []
