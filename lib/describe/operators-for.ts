import { hasMeaning } from '../plan'
import { type CompareOperator, compareOperators } from '../query'
import type { ColumnType } from '../schema'
import type { AnswerOptions } from './answer-options'

/** Those that have a meaning for it. */
export function operatorsFor(
  type: ColumnType,
  matching: AnswerOptions['textMatching'],
): readonly CompareOperator[] {
  return (Object.keys(compareOperators) as CompareOperator[])
    .filter((operator) => hasMeaning(operator, type, matching))
    .filter((operator) => operator !== '$jsonSupersetOf' || type === 'json')
}
