// Comparisons by the table of the library itself: what is added there is asked for by every random request.
import {
  type CompareOperator,
  compareOperators,
  hasMeaning,
  type Operator,
  operators,
} from '../../lib/operators'
import type { ColumnType } from '../../lib/schema'
import type { Filter } from './request'

export const allOperators = compareOperators

/** Those that every database understands alike, for attributes of one kind. */
export const operatorsFor = (kind: ColumnType): readonly CompareOperator[] =>
  allOperators.filter((operator) => hasMeaning(operator, kind, 'exact'))

export const isKnownOperator = (operator: string): operator is CompareOperator =>
  (allOperators as readonly string[]).includes(operator)

/** With as many values as the operator takes; of those that take any number, as many as are given. */
export function comparison(
  operator: CompareOperator,
  values: readonly string[],
): Extract<Filter, { operator: string }> {
  const [first = '', second = first] = values
  switch (operators[operator].takes) {
    case 'one':
      return { operator, value: first }
    case 'two':
      return { operator, value: [first, second] }
    case 'any number':
      return { operator, value: values }
  }
}

export const kindOfValue = (operator: CompareOperator): Operator['value'] => operators[operator].value
