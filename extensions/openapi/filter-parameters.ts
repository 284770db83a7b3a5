import { type CompareOperator, nameOperators, type Operator, operators } from '../../lib/operators'
import type { ColumnType } from '../../lib/schema'
import { type ResponseOptions, operatorsFor, type ShownType } from '../../lib/describe'
import { type JsonPart, listOf, valueSchema } from './json-part'

type MatchingOption = ResponseOptions['textMatching']

/** The most used operators. */
const few: readonly CompareOperator[] = ['$eq', '$in', '$lt', '$gt', '$containsi', '$null']

/** Attributes of every type are identifiers and times: all operators on them would double the document. */
const ofTimes: readonly CompareOperator[] = [
  '$eq',
  '$lt',
  '$lte',
  '$gt',
  '$gte',
  '$between',
  '$null',
  '$notNull',
]

/** Generators still read a document of some megabytes. */
const mostFilters = 20_000

/** JSON is compared as text. */
function operandSchema(kind: Operator['value'], type: ColumnType): JsonPart {
  if (kind === 'truth') return { type: 'boolean' }
  return kind === 'own' && type !== 'json' ? valueSchema(type) : { type: 'string' }
}

function filterSchema(operator: CompareOperator, type: ColumnType): JsonPart {
  const { takes, value } = operators[operator]
  const operand = operandSchema(value, type)
  switch (takes) {
    case 'one':
      return operand
    case 'two':
      return { ...listOf(operand), minItems: 2, maxItems: 2 }
    case 'any number':
      return { ...listOf(operand), minItems: 1 }
  }
}

export interface FilterParameter {
  /** Unique within its type, and shared by every type with such an attribute. */
  readonly key: string
  /** True for generated attributes, which are equal in all types. */
  readonly isOfEveryType: boolean
  readonly parameter: JsonPart
}

function filter(path: readonly string[], schema: JsonPart, isOfEveryType: boolean): FilterParameter {
  const name = `filters${path.map((part) => `[${part}]`).join('')}`
  const key = path.join('.').replaceAll('$', '')
  return { key, isOfEveryType, parameter: { name, in: 'query', schema } }
}

/** Relations are filtered by document ids, which are equal in every locale and version. */
function filtersOfLinks(type: ShownType, types: readonly ShownType[]): readonly FilterParameter[] {
  const idOf = (uid: string): unknown =>
    types.find(({ model }) => model.uid === uid)?.scalars.get('documentId')
  return [...type.links].flatMap(([name, { field, targets }]) => {
    const [only] = targets
    const isNamed = field.role === 'relation' && field.targets.length === 1
    if (!isNamed || only === undefined || idOf(only) === undefined) return []
    return [filter([name, 'documentId', '$eq'], { type: 'string' }, false)]
  })
}

/** False if all operators would make the document unreadably large. */
export function areAllListed(types: readonly ShownType[], matching: MatchingOption): boolean {
  const columns = types.flatMap(({ scalars }) => [...scalars.values()])
  const counts = columns.map(({ column }) => operatorsFor(column.type, matching).length)
  return counts.reduce((sum, count) => sum + count, 0) <= mostFilters
}

export interface FilterChoice {
  readonly types: readonly ShownType[]
  readonly matching: MatchingOption
  readonly all: boolean
}

/** One parameter for each name in a URL, as generators send nothing else. */
export function filterParameters(
  type: ShownType,
  { types, matching, all }: FilterChoice,
): readonly FilterParameter[] {
  const own = [...type.scalars].flatMap(([name, { column }]) => {
    const isOfEveryType = !type.model.outlines.has(name)
    const isTime = column.type === 'datetime' || column.type === 'timestamp'
    const told = isTime ? ofTimes : nameOperators
    return operatorsFor(column.type, matching)
      .filter((operator) => (isOfEveryType ? told.includes(operator) : all || few.includes(operator)))
      .map((operator) => filter([name, operator], filterSchema(operator, column.type), isOfEveryType))
  })
  return [...own, ...filtersOfLinks(type, types)]
}
