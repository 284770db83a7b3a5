import type { CountedLink, Order, Step } from '../plan'
import type { HeldKey } from '../query'

import { comparable, perhapsNull } from './comparable'
import { linkedOwners } from './linked-owners'
import { column, follow, type SqlScope } from './sql-scope'
import { all, joined, type Sql, sql, whole } from './sql'
import { placeOfNull, rowOf, tellingPlaces } from './telling-place'
import { where } from './where'

/** Of a row that has no value; all others have places from 1 on. */
const beforeAll = 0
const behindAll = Number.MAX_SAFE_INTEGER

/** Where NULLs stand, as do ways that lead no further. */
const ofNull = ({ dialect, matching }: SqlScope, { direction }: Order<never>): number =>
  dialect.nullsFirst(direction, matching) ? beforeAll : behindAll

/** The place of each row at the end of a path: the same for equal values. */
function placesAtEnd(scope: SqlScope, { target, visible }: Step, order: Order<never>): Sql {
  const { dialect, matching } = scope
  const alias = scope.alias()
  const direction = dialect.direction(order.direction, matching)
  const place = `case when ? is null then ? else dense_rank() over (order by ? ${direction}) end`
  return sql(`select ?? as ??, ${place} as ?? from ?? as ?? where ?`, [
    ...[column(alias, 'id'), 'found', perhapsNull(scope, alias, order), whole(ofNull(scope, order))],
    ...[comparable(scope, alias, order), 'place', target.table, alias],
    where(scope, { alias, model: target }, visible),
  ])
}

/** How the places of rows come about that a path leads to. */
interface Placing {
  readonly atEnd: () => Sql
  /** What leads nowhere leads to none. */
  readonly placeIn: (set: string) => Sql
  readonly first: (places: Sql) => Sql
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
    const key = dialect.grouped(id)
    const list = [key, 'found', 'place', tables, all(conditions), key]
    return sql(`select ${dialect.inOrder}? as ??, ${count} as ?? from ? where ? group by ?`, list)
  }
  const selects = ways.map(({ id, tables, conditions }) => {
    const list = [dialect.grouped(id), 'found', tables, all(conditions)]
    return sql(`select ${dialect.inOrder}? as ?? from ? where ?`, list)
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
    dialect.ownKey(column(alias, 'id')),
  ])

/** The first place of those that a link leads each row to. */
function placesBefore(
  scope: SqlScope,
  { field, target, visible }: Step,
  { placeIn, first }: Placing,
  further: Sql,
): Sql {
  const [to, set] = [scope.alias(), scope.alias()]
  const rows = { alias: to, model: target }
  const shown = where(scope, rows, visible)
  const { tables, tie, conditions } = follow(scope, field.link, { from: to, to: rows, shown })
  const key = scope.dialect.grouped(tie.by)
  return sql('select ? as ??, ? as ?? from ? where ? group by ?', [
    ...[key, 'found', first(placeIn(set)), 'place'],
    ...[joined([tables, joinTo(scope, to, [set, further])], ' '), all(conditions), key],
  ])
}

function endOf({ steps }: Order<never>): Step {
  const end = steps.at(-1)
  if (end === undefined) throw new Error('a path leads through links')
  return end
}

function byPlace(scope: SqlScope, order: Order<never>): Placing {
  const { counted } = order
  const missing = whole(counted === null ? ofNull(scope, order) : 0)
  return {
    atEnd: () =>
      counted === null ? placesAtEnd(scope, endOf(order), order) : countsAtEnd(scope, counted, order),
    placeIn: (set) => sql('coalesce(??, ?)', [column(set, 'place'), missing]),
    first: (places) => sql('min(?)', [places]),
  }
}

export interface PlacedJoins {
  /** To be joined to the rows, which stay as many as they are. */
  readonly join: Sql
  /** Never NULL, and first where the row is to be first. */
  readonly place: Sql
}

function placedBy(scope: SqlScope, alias: string, { steps }: Order<never>, placing: Placing): PlacedJoins {
  const places = steps.reduceRight(
    (further, step) => placesBefore(scope, step, placing, further),
    placing.atEnd(),
  )
  const set = scope.alias()
  return { join: joinTo(scope, alias, [set, places]), place: placing.placeIn(set) }
}

/**
 * The rows named `alias` by the first value that a path leads each of them to. Worked out link by link from the far end,
 * once for all rows of a table: there are far more ways along a path than rows on it.
 */
export const placed = (scope: SqlScope, alias: string, order: Order<never>): PlacedJoins =>
  placedBy(scope, alias, order, byPlace(scope, order))

/** The value of the row that a place tells of, as it is read; NULL where there is none. Looked up for the rows of a page. */
export type ValueOfPlace = (place: string, read: (value: Sql) => Sql) => Sql

/** A place that also tells where the row stands beside a cursor, and which row at the end of the path it is about. */
export interface TellingPlace extends PlacedJoins {
  readonly valueOf: ValueOfPlace
}

/**
 * The same beside a cursor. A place is another one once a row has come or gone, so that a cursor holds the value; to carry
 * that along for every row instead would cost MariaDB ten times as much.
 */
export function placedBeside(
  scope: SqlScope,
  alias: string,
  order: Order<never>,
  held: HeldKey | undefined,
): TellingPlace {
  const { target, visible } = endOf(order)
  const path = { order, held }
  const missing = placeOfNull(scope, path)
  const made = placedBy(scope, alias, order, {
    atEnd: () => tellingPlaces(scope, { alias: scope.alias(), model: target }, visible, path),
    placeIn: (set) => sql('coalesce(??, ?)', [column(set, 'place'), missing]),
    first: (places) => sql('min(?)', [places]),
  })
  const valueOf: ValueOfPlace = (place, read) => {
    const end = scope.alias()
    const value = read(comparable(scope, end, order))
    return sql('(select ? from ?? as ?? where ?? = ?)', [
      ...[value, target.table, end, column(end, 'id'), rowOf(place)],
    ])
  }
  return { ...made, valueOf }
}
