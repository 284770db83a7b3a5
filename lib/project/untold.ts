import { MadeByFactory } from './made-by-factory'
import { namesIn } from './names-in'
import type { CodeNode } from './parse-module'
import type { ReadingScope } from './scope'
import { spoil } from './spoil'
import { isOpenList, memberOf, type StaticValue, unknownValue } from './static-value'

/** The values of all names in a piece of code. */
export function namedWithin(
  node: CodeNode,
  { names, budget, escaped }: ReadingScope,
): readonly StaticValue[] {
  const { start, end } = node
  // To look for them takes time by the length of the text, and functions may stand in each other.
  budget.spend(((end ?? 0) - (start ?? 0)) >> 4)
  const found = namesIn(node)
  budget.spend(found.size)
  for (const name of found) escaped.add(name)
  return [...found].map((name) => names.get(name))
}

/** Code that is not understood may change whatever it names, and come to it under another name. */
export function untold(node: CodeNode, scope: ReadingScope): StaticValue {
  spoil(namedWithin(node, scope), scope.budget)
  return unknownValue
}

/** What comes out without being known may be any of what is within. */
export function memberWithin(value: StaticValue, key: StaticValue, scope: ReadingScope): StaticValue {
  const member = memberOf(value, key)
  const isAny = (typeof key !== 'string' && typeof key !== 'number') || isOpenList(value)
  const isWithin = isAny || value instanceof MadeByFactory
  if (member === unknownValue && isWithin) spoil([value], scope.budget)
  return member
}
