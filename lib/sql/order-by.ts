import {
  areWaysFew,
  type Condition,
  decidingOrders,
  isOwnId,
  partsOf,
  type Level,
  type Order,
  type Score,
  type Step,
  type CountedLink,
} from '../plan'
import type { ColumnType, Model } from '../schema'
import {
  areNullsFirst,
  column,
  follow,
  keyOf,
  type NamedRows,
  sortDirection,
  type SqlScope,
  isLookedUp,
  lookedUp,
  valueOf,
} from './sql-scope'
import { all, joined, type Sql, sql, whole } from './statement'
import { where, linkedOwners } from './where'

export function sumOfScores(scope: SqlScope, rows: NamedRows, scores: readonly Score[]): Sql {
  const points = scores.map((one) =>
    sql('case when ? then ? else 0 end', [where(scope, rows, one.where), whole(one.points)]),
  )
  return sql('(?)', [joined([whole(0), ...points], ' + ')])
}

/** TIMESTAMP would be sorted by local time, which repeats when clocks change. */
function comparable(scope: SqlScope, alias: string, order: Order<never>): Sql {
  const { column: by, model, scores } = order
  if (scores !== undefined) return sumOfScores(scope, { alias, model }, scores)
  const { column: name, type, extent } = by
  const { dialect, matching } = scope
  const { sortedJson } = dialect
  if (type === 'json' && sortedJson !== null)
    return lookedUp(scope, { alias, model }, name, (own) => sortedJson(sql('??', [own])))
  // Any order of keys is one, and that of the index is cheapest.
  if (isOwnId(order)) return sql('??', [column(alias, name)])
  const value = valueOf(scope, alias, by)
  if (type === 'timestamp') return dialect.comparison(type).compared(value)
  return type === 'string' ? dialect.text[matching].sorted(value, extent === 'line') : value
}

/** Other ranks start at 1. */
const ofNull = (scope: SqlScope, { direction }: Order<never>): number =>
  areNullsFirst(scope, direction) ? 0 : Number.MAX_SAFE_INTEGER

/** Rank of each row at the end of a path; equal values share a rank. */
function placesAtEnd(scope: SqlScope, { target, visible }: Step, order: Order<never>): Sql {
  const alias = scope.alias()
  const direction = sortDirection(scope, order.direction)
  // NULL where the sort key is, but cheaper.
  const stored = isLookedUp(scope, order.column)
    ? comparable(scope, alias, order)
    : sql('??', [column(alias, order.column.column)])
  const place = `case when ? is null then ? else dense_rank() over (order by ? ${direction}) end`
  return sql(`select ?? as ??, ${place} as ?? from ?? as ?? where ?`, [
    ...[keyOf({ alias, model: target }), 'found', stored, whole(ofNull(scope, order))],
    ...[comparable(scope, alias, order), 'place', target.table, alias],
    where(scope, { alias, model: target }, visible),
  ])
}

/** Number of linked entries as rank, negated for `desc`. MariaDB counts by an index only without a path. */
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
  // Zones may have no component left.
  if (only === undefined)
    return sql('select ?? as ??, 0 as ?? from ?? where 1 = 0', [
      model.key.column,
      'found',
      'place',
      model.table,
    ])
  if (ways.length === 1 && path.length === 0) {
    const { tie, tables, conditions } = only
    const key = dialect.groupKey(tie, model.key.type)
    const list = [key, 'found', 'place', tables, all(conditions), key]
    return sql(`${dialect.joinOrder.select} ? as ??, ${count} as ?? from ? where ? group by ?`, list)
  }
  const selects = ways.map(({ tie, tables, conditions }) => {
    const list = [dialect.groupKey(tie, model.key.type), 'found', tables, all(conditions)]
    return sql(`${dialect.joinOrder.select} ? as ?? from ? where ?`, list)
  })
  const entries = joined(selects, ' union all ')
  return sql(`select ??, ${count} as ?? from (?) as ?? group by ??`, [
    ...['found', 'place', entries, 'linked', 'found'],
  ])
}

const joinTo = ({ dialect }: SqlScope, rows: NamedRows, [set, places]: readonly [string, Sql]): Sql =>
  sql('left join (?) as ?? on ?? = ?', [
    places,
    set,
    column(set, 'found'),
    dialect.groupKey(keyOf(rows), rows.model.key.type),
  ])

const placeIn = (scope: SqlScope, set: string, order: Order<never>): Sql =>
  sql('coalesce(??, ?)', [column(set, 'place'), whole(order.counted === null ? ofNull(scope, order) : 0)])

function placesBefore(
  scope: SqlScope,
  { field, target, visible }: Step,
  owner: Model,
  { order, further }: { readonly order: Order<never>; readonly further: Sql },
): Sql {
  const [to, set] = [scope.alias(), scope.alias()]
  const rows = { alias: to, model: target }
  const shown = where(scope, rows, visible)
  const { tables, tie, conditions } = follow(scope, field.link, { to: rows, shown })
  const key = scope.dialect.groupKey(tie, owner.key.type)
  return sql('select ? as ??, min(?) as ?? from ? where ? group by ?', [
    ...[key, 'found', placeIn(scope, set, order), 'place'],
    ...[joined([tables, joinTo(scope, rows, [set, further])], ' '), all(conditions), key],
  ])
}

/** Rank of each row by the first value at the end of a path, from there on: a path has more ways than rows. */
function placed(scope: SqlScope, rows: NamedRows, order: Order<never>): Record<'join' | 'place', Sql> {
  const end = order.steps.at(-1)
  const atEnd =
    order.counted === null ? end && placesAtEnd(scope, end, order) : countsAtEnd(scope, order.counted, order)
  if (atEnd === undefined) throw new Error('a path leads through links')
  const ownerOf = (at: number): Model => order.steps[at - 1]?.target ?? rows.model
  const places = order.steps.reduceRight(
    (further, step, at) => placesBefore(scope, step, ownerOf(at), { order, further }),
    atEnd,
  )
  const set = scope.alias()
  return { join: joinTo(scope, rows, [set, places]), place: placeIn(scope, set, order) }
}

function followStep(
  scope: SqlScope,
  from: NamedRows,
  step: Step,
): Record<'tables' | 'tie', Sql> & { readonly end: NamedRows } {
  const to = { alias: scope.alias(), model: step.target }
  const shown = where({ ...scope, isInSet: true }, to, step.visible)
  const { tables, tie, conditions } = follow(scope, step.field.link, { to, shown })
  return { tables, tie: all([sql('?? = ??', [tie, keyOf(from)]), ...conditions]), end: to }
}

/** Visible entries behind a step. Missing links count as NULL. */
export function leftJoin(
  scope: SqlScope,
  from: NamedRows,
  step: Step,
): { readonly join: Sql; readonly end: NamedRows } {
  const { tables, tie, end } = followStep(scope, from, step)
  const { link } = step.field
  const isOneTable = link.via === 'there' && link.isOfDocument !== true
  const text = isOneTable ? 'left join ? on ?' : 'left join (?) on ?'
  return { join: sql(text, [tables, scope.dialect.onOuter(tie)]), end }
}

function walk(scope: SqlScope, rows: NamedRows, order: Order<never>): Sql {
  const [first, ...rest] = order.steps
  if (first === undefined) return comparable(scope, rows.alias, order)
  const { tie, ...path } = followStep(scope, rows, first)
  let { tables, end } = path
  for (const step of rest) {
    const next = leftJoin(scope, end, step)
    tables = sql('? ?', [tables, next.join])
    end = next.end
  }
  const value = comparable(scope, end.alias, order)
  const parts = [value, tables, tie]
  const direction = directionOf(scope, order)
  const leadsToOne = order.steps.every(({ field }) => !field.many)
  if (leadsToOne) return sql('(select ? from ? where ? limit 1)', parts)
  return sql(`(select ? from ? where ? order by ? ${direction} limit 1)`, [...parts, value])
}

/** NULLS FIRST on an id would keep PostgreSQL from its index. */
function directionOf(scope: SqlScope, order: Order<never>): string {
  return isOwnId(order) ? order.direction : sortDirection(scope, order.direction)
}

export const isSorted = ({ order }: Pick<Level<never>, 'order'>): boolean => decidingOrders(order).length > 1

export interface OrderKey {
  readonly value: Sql
  readonly type: ColumnType
  readonly isDescending: boolean
  /** With the place of NULLs, where the database would not sort so. */
  readonly direction: string
  readonly nullsFirst: boolean
  readonly isSure: boolean
  /** The id is compared as it is stored. */
  readonly isId: boolean
  readonly isFar: boolean
  /** True if the key is selected with the ids, so that lists are read once. */
  readonly isBrought: boolean
}

export interface Ordering {
  readonly joins: readonly Sql[]
  readonly keys: readonly OrderKey[]
}

export function ordering(scope: SqlScope, rows: NamedRows, orders: readonly Order<never>[]): Ordering {
  const joins: Sql[] = []
  const keys = decidingOrders(orders).map((order): OrderKey => {
    const { steps, counted, column } = order
    const nullsFirst = areNullsFirst(scope, order.direction)
    const isFar = steps.length > 0 || counted !== null
    const own = { type: column.type, nullsFirst, isId: isOwnId(order), isFar }
    if (areWaysFew(order)) {
      const value = walk(scope, rows, order)
      const isBrought = order.scores !== undefined || steps.some(({ field }) => field.many)
      const directions = { direction: directionOf(scope, order), isDescending: order.direction === 'desc' }
      return { ...own, ...directions, value, isBrought, isSure: isOwnId(order) }
    }
    const { join, place } = placed(scope, rows, order)
    joins.push(join)
    return { ...own, value: place, direction: 'asc', isDescending: false, isBrought: true, isSure: true }
  })
  return { joins, keys }
}

export const sortedBy = (select: Sql, { keys }: Ordering): Sql =>
  keys.length === 0 ? select : sql('? order by ?', [select, orderBy(keys)])

export function orderBy(keys: readonly OrderKey[]): Sql {
  return joined(
    keys.map(({ value, direction }) => sql(`? ${direction}`, [value])),
    ', ',
  )
}

export const withJoins = (tables: Sql, { joins }: Ordering): Sql => joined([tables, ...joins], ' ')

/** Keys through lists are selected with the ids. Others are looked up again: as columns they cost every sorted row. */
export function carried(
  keys: readonly OrderKey[],
  picked: string,
): { readonly columns: readonly Sql[]; readonly inside: Sql; readonly outside: Sql } {
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

/** Sorts through links are slow with any conditions. */
export const inTimeFor = ({ dialect }: SqlScope, id: string, { keys }: Ordering): readonly Sql[] =>
  dialect.timeLimit !== null && keys.some(({ isFar }) => isFar) ? [dialect.timeLimit.condition(id)] : []

/** Compares columns of the index on lists, in which ids follow in order. */
const isListed = (part: Condition<never>): boolean =>
  part.op === 'test' &&
  (part.column.name === 'publishedAt' ||
    (part.column.name === 'locale' && part.test.is === 'within' && part.test.values.length === 1))

/** Equal values are rare, and may have an index. */
const isWide = (part: Condition<never>): boolean =>
  part.op === 'or' ||
  (part.op === 'test' && (part.negated || (part.test.is !== 'equal' && part.test.is !== 'within')))

/**
 * The index on lists finds the first id without reading rows. Otherwise databases, which expect matching rows
 * everywhere, read all drafts in front of it: after a bulk publish these are half of the table.
 */
export function fromFirst(
  scope: SqlScope,
  { alias, model }: NamedRows,
  { where: condition, order: [first] }: Level<never>,
  readsIds: boolean,
): readonly Sql[] {
  const parts = partsOf(condition)
  const listed = parts.filter(isListed)
  const others = parts.filter((part) => !isListed(part))
  const isById = first !== undefined && isOwnId(first) && first.direction === 'asc'
  const isServed = model.draftAndPublish && listed.length >= (model.localized ? 2 : 1)
  // Ids alone come from the same index.
  if (!isById || !isServed || !others.every(isWide) || (readsIds && others.length === 0)) return []
  const from = { alias: scope.alias(), model }
  const found = where(scope, from, { op: 'and', of: listed })
  const names = [keyOf({ alias, model }), keyOf(from), model.table, from.alias]
  const bound = '?? >= (select ?? from ?? as ?? where ? order by ?? limit 1)'
  // MariaDB, which alone reads the comment, would find the first id too late, and read all drafts twice.
  return [sql(`(/*M! 1 = 1 or */ ${bound})`, [...names, found, keyOf(from)])]
}
