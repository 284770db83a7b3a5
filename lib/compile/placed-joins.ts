import type { CountedLink, Order, Step } from '../plan'
import { comparable, perhapsNull } from './comparable'
import { linkedOwners } from './linked-owners'
import { column, follow, type SqlScope } from './sql-scope'
import { all, joined, type Sql, sql, whole } from './sql'
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
    return sql(`select ${dialect.inOrder}? as ??, ${count} as ?? from ? where ? group by ?`, list)
  }
  const selects = ways.map(({ id, tables, conditions }) => {
    const list = [dialect.groupKey(id), 'found', tables, all(conditions)]
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

export interface PlacedJoins {
  /** To be joined to the rows, which stay as many as they are. */
  readonly join: Sql
  /** Never NULL, and first where the row is to be first. */
  readonly place: Sql
}

/**
 * The rows named `alias` by the first value that a path leads each of them to. Worked out link by link from the far end,
 * once for all rows of a table: there are far more ways along a path than rows on it.
 */
export function placed(scope: SqlScope, alias: string, order: Order<never>): PlacedJoins {
  const places = order.steps.reduceRight(
    (further, step) => placesBefore(scope, step, order, further),
    placesOfEnd(scope, order),
  )
  const set = scope.alias()
  return { join: joinTo(scope, alias, [set, places]), place: placeIn(scope, set, order) }
}
