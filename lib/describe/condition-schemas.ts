import { compareOperators } from '../query'
import type { ColumnType } from '../schema'
import type { AnswerOptions } from './answer-options'
import { filterSchema, operatorsFor } from './filter-parameters'
import { closedOf, type JsonPart, oneOrMore, refTo } from './json-part'
import { inPascalCase } from './schema-names'
import type { ShownType } from './shown-types'

const nameOf = (type: ColumnType): string => `${inPascalCase(type)}Condition`

/** What may be said of an attribute, which is the same for all that have values of one kind. */
export const conditionRef = (type: ColumnType): JsonPart => refTo('schemas', nameOf(type))

/** A value by itself is `$eq`, and several are `$in`. */
function conditionOn(type: ColumnType, matching: AnswerOptions['textMatching']): JsonPart {
  const operators = Object.fromEntries(
    operatorsFor(type, matching).map((operator): [string, JsonPart] => {
      const schema = filterSchema(operator, type)
      const { items } = schema as { readonly items?: JsonPart }
      const takesOne = compareOperators[operator] === 'any number' && items !== undefined
      return [operator, takesOne ? oneOrMore(items) : schema]
    }),
  )
  const { $eq } = operators
  const compared = closedOf({ ...operators, $not: closedOf(operators) })
  return $eq === undefined ? compared : { anyOf: [$eq, { type: 'array', items: $eq }, compared] }
}

/** Those that the types have, and of numbers of entries. */
function kindsIn(types: readonly ShownType[]): readonly ColumnType[] {
  const columns = types.flatMap(({ scalars }) => [...scalars.values()].map(({ column }) => column.type))
  return [...new Set<ColumnType>(['integer', ...columns])].sort()
}

export const conditionNames = (types: readonly ShownType[]): readonly string[] => kindsIn(types).map(nameOf)

export const conditionSchemas = (
  types: readonly ShownType[],
  matching: AnswerOptions['textMatching'],
): JsonPart => Object.fromEntries(kindsIn(types).map((type) => [nameOf(type), conditionOn(type, matching)]))
