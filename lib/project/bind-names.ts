import type { CodeNode, CodeStatement, ExpressionOf } from './parse-module'
import { UnreadableText } from './parse-module'
import type { Evaluate, ReadingScope } from './scope'
import { spoil } from './spoil'
import { type StaticValue, unknownValue } from './static-value'
import { memberWithin, untold } from './untold'

export type Callable =
  | ExpressionOf<'ArrowFunctionExpression' | 'FunctionExpression'>
  | Extract<CodeStatement, { type: 'FunctionDeclaration' }>
/** What a value is given to: a name, or names for its members. */
type Pattern = Callable['params'][number]

export type BindNames = (
  pattern: CodeNode,
  value: StaticValue,
  scope: ReadingScope,
  names: Map<string, StaticValue>,
) => void

/** How a value is given to names. */
export function bindNames(
  evaluate: Evaluate,
  nameOf: (key: CodeNode, isComputed: boolean, scope: ReadingScope) => StaticValue,
): BindNames {
  function otherwise(value: StaticValue, node: CodeNode, scope: ReadingScope): StaticValue {
    if (value === unknownValue) return untold(node, scope)
    return value === undefined ? evaluate(node, scope) : value
  }

  const bind: BindNames = (pattern, value, scope, names) => {
    scope.budget.spend(1)
    const target = pattern as Pattern
    if (target.type === 'Identifier') {
      names.set(target.name, value)
      if (scope.escaped.has(target.name)) spoil([value], scope.budget)
    } else if (target.type === 'AssignmentPattern')
      bind(target.left, otherwise(value, target.right, scope), scope, names)
    else if (target.type === 'ObjectPattern') {
      for (const property of target.properties) {
        if (property.type === 'RestElement') throw new UnreadableText('a rest')
        const inner = memberWithin(value, nameOf(property.key, property.computed, scope), scope)
        bind(property.value, inner, scope, names)
      }
    } else throw new UnreadableText(target.type)
  }
  return bind
}
