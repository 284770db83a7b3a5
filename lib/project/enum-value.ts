import { nameIn } from './imported-names'
import { type CodeNode, type CodeStatement, UnreadableText } from './parse-module'
import type { ReadingScope } from './scope'
import { type StaticValue, unknownValue } from './static-value'

type Enum = Extract<CodeStatement, { type: 'TSEnumDeclaration' }>

const nextOf = (value: StaticValue): StaticValue => (typeof value === 'number' ? value + 1 : unknownValue)

/** What an `enum` is when it is run: numbers lead back to their names. */
export function enumValue(
  { members }: Enum,
  scope: ReadingScope,
  evaluate: (node: CodeNode, scope: ReadingScope) => StaticValue,
): StaticValue {
  const made = new Map<string, StaticValue>()
  const names = new Map(scope.names)
  let next: StaticValue = 0
  for (const { id, initializer } of members) {
    const value = initializer ? evaluate(initializer, { ...scope, names }) : next
    // It may lead back by any name.
    if (value === unknownValue) throw new UnreadableText('a number that is not known')
    const name = nameIn(id)
    made.set(name, value)
    names.set(name, value)
    if (typeof value === 'number') made.set(String(value), name)
    next = nextOf(value)
  }
  return made
}
