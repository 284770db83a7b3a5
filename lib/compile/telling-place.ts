import type { Order } from '../plan'
import type { HeldKey } from '../query'

import { comparable, perhapsNull } from './comparable'
import { compareHeld } from './compare-held'
import { column, type NamedRows, type SqlScope } from './sql-scope'
import { type Sql, sql, whole } from './sql'
import { where } from './where'

/**
 * The parts of a place that tells more: in front the place itself, then a side in two bits, then the id of a row and one more,
 * as 0 is that of none.
 */
const bitsOfRow = 32
const firstSide = 2 ** bitsOfRow
const firstPlace = 4 * firstSide

/** Behind every place that rows can have. */
const lastPlace = '4611686018427387904'

/** Where a row stands beside the entry of a cursor, in the order of the list. */
export const sides = { before: 0, level: 1, behind: 2 } as const

/** Equal for rows whose values are, whichever row at the end of the path it is by. */
export const placeOnly = (place: string): Sql => sql(`(?? >> ${String(bitsOfRow)})`, [place])

export const sideOf = (place: string): Sql => sql('(? & 3)', [placeOnly(place)])

/** NULL where a path leads nowhere. */
export const rowOf = (place: string): Sql => sql(`(nullif(?? & ${String(firstSide - 1)}, 0) - 1)`, [place])

/** By what a path ends, and what a cursor holds of it: undefined without a cursor. */
export interface PathBeside {
  readonly order: Order<never>
  readonly held: HeldKey | undefined
}

/** NULLs stand before all others, or behind them. */
export function placeOfNull({ dialect, matching }: SqlScope, { order, held }: PathBeside): Sql {
  const isFirst = dialect.nullsFirst(order.direction, matching)
  const side = held === null ? sides.level : isFirst ? sides.before : sides.behind
  return sql(`(${isFirst ? '0' : lastPlace} + ${String(side * firstSide)})`)
}

/** Without a cursor all stand on one side. */
function sideOfValue(scope: SqlScope, value: Sql, { order, held }: PathBeside): Sql {
  const { column: by, direction } = order
  const { before, level, behind } = sides
  if (held === undefined) return whole(before)
  if (held === null) return whole(scope.dialect.nullsFirst(direction, scope.matching) ? behind : before)
  const compared = compareHeld(scope, { value, type: by.type }, held)
  const text = `case when ? then ${String(level)} when ? then ${String(behind)} else ${String(before)} end`
  return sql(text, [compared('='), compared(direction === 'asc' ? '>' : '<')])
}

/** Of each of these rows, which are the last of a path: equal values have equal places, but for the row. */
export function tellingPlaces(
  scope: SqlScope,
  { alias, model }: NamedRows,
  visible: Parameters<typeof where>[2],
  path: PathBeside,
): Sql {
  const { order } = path
  const value = comparable(scope, alias, order)
  const rank = `dense_rank() over (order by ? ${scope.dialect.direction(order.direction, scope.matching)})`
  const told = `${rank} * ${String(firstPlace)} + (?) * ${String(firstSide)} + ?? + 1`
  const id = column(alias, 'id')
  return sql(`select ?? as ??, case when ? is null then ? else ${told} end as ?? from ?? as ?? where ?`, [
    ...[id, 'found', perhapsNull(scope, alias, order), placeOfNull(scope, path)],
    ...[value, sideOfValue(scope, value, path), id, 'place', model.table, alias],
    where(scope, { alias, model }, visible),
  ])
}
