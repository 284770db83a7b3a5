import { notFound } from '../errors'
import type { Column } from '../schema'
import { makeComparison } from './comparisons'
import type { Condition } from './level'
import { orFault, type Planning } from './planning'

/** Not all that a number may be written as: `1e3` and `0x10` are no way to say which entry is meant. */
const isInteger = (text: string): boolean => /^-?\d+$/.test(text)

/** Which row has a value that is part of a path: as `$eq` finds it. What no row can have leads nowhere, like a path. */
export function identifiedBy(planning: Planning, column: Column, value: string): Condition<never> {
  if (column.type !== 'string' && !isInteger(value)) throw notFound()
  const made = orFault(() =>
    makeComparison(
      { planning, column, path: [] },
      { op: 'compare', operator: '$eq', values: [value], path: [] },
      false,
    ),
  )
  if (made.op === 'fault') throw notFound()
  return made
}
