import { isTrue, operate } from './operate'
import type { ExpressionOf } from './parse-module'
import type { Evaluate, ReadingScope } from './scope'
import { type StaticValue, unknownValue } from './static-value'
import { untold } from './untold'

/** How signs between values are read, and what they choose from. */
export function operationReadings(evaluate: Evaluate): {
  readonly [T in 'BinaryExpression' | 'LogicalExpression' | 'UnaryExpression' | 'ConditionalExpression']: (
    node: ExpressionOf<T>,
    scope: ReadingScope,
  ) => StaticValue
} {
  function logicalOf(
    { operator, left, right }: ExpressionOf<'LogicalExpression'>,
    scope: ReadingScope,
  ): StaticValue {
    const value = evaluate(left, scope)
    // Whether the other side is asked for is not known, either.
    return value === unknownValue
      ? untold(right, scope)
      : operate(operator, value, () => evaluate(right, scope))
  }

  function binaryOf(
    { operator, left, right }: ExpressionOf<'BinaryExpression'>,
    scope: ReadingScope,
  ): StaticValue {
    const value = evaluate(left, scope)
    const other = evaluate(right, scope)
    return operate(operator, value, () => other)
  }

  function conditionalOf(
    { test, consequent, alternate }: ExpressionOf<'ConditionalExpression'>,
    scope: ReadingScope,
  ): StaticValue {
    const value = evaluate(test, scope)
    if (value !== unknownValue) return evaluate(isTrue(value) ? consequent : alternate, scope)
    untold(consequent, scope)
    return untold(alternate, scope)
  }

  function unaryOf(
    { operator, argument }: ExpressionOf<'UnaryExpression'>,
    scope: ReadingScope,
  ): StaticValue {
    const value = evaluate(argument, scope)
    if (operator === '-') return operate('-', 0, () => value)
    return operator === '!' && value !== unknownValue ? !isTrue(value) : unknownValue
  }

  return {
    BinaryExpression: binaryOf,
    LogicalExpression: logicalOf,
    UnaryExpression: unaryOf,
    ConditionalExpression: conditionalOf,
  }
}
