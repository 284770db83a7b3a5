import { type Condition, type Level, partsOf } from '../plan'
import type { Positions } from './statement'
import { textOf } from './signature'

/** What is known of a level once its columns have places. */
interface PlacedLevel {
  readonly level: Level<never>
  readonly positions: Positions
}

type Where = Condition<never>

function implies(where: Where, other: Where): boolean {
  const held = new Set(partsOf(where).map(textOf))
  return partsOf(other).every((part) => held.has(textOf(part)))
}

/** Whether a row of the one would be the same row of the other, had that read it: entries of a type lead to each other. */
export function isSameRow(one: PlacedLevel, other: PlacedLevel): boolean {
  const [{ model, columns, where }, { level }] = [one.level, other]
  // What is put in order has its order from being read.
  if (level.order.length > 0) return false
  if (model !== level.model || columns.length !== level.columns.length) return false
  if (columns.some((column, index) => column !== level.columns[index])) return false
  return (
    [...other.positions].every(([name, at]) => one.positions.get(name) === at) && implies(where, level.where)
  )
}
