import { compareOperators, type Operator, operators, isCompareOperator } from '../../../lib/operators'

export const operatorNamed = (name: string): Operator | undefined =>
  isCompareOperator(name) ? operators[name] : undefined

export const operatorInWords = (name: string): string => operatorNamed(name)?.meaning ?? name

export const takesText = (name: string): boolean => operatorNamed(name)?.value === 'text'

export const takesTruth = (name: string): boolean => operatorNamed(name)?.value === 'truth'

export interface Choice {
  readonly text: string
  readonly about: string
  /** True if brackets follow it instead of a value. */
  readonly opens: boolean
}

export const choice = (text: string, about: string, opens = false): Choice => ({ text, about, opens })

export const junctions: readonly Choice[] = [
  choice('$or', 'at least one condition matches', true),
  choice('$and', 'all conditions match', true),
  choice('$not', 'negates a condition', true),
]

export const quantifiers: readonly Choice[] = [
  choice('$some', 'at least one entry matches', true),
  choice('$none', 'no entry matches', true),
  choice('$every', 'all entries match', true),
  choice('$count', 'number of entries', true),
]

/** Counts have no case. */
const areCompared = ({ takes, value, test }: Operator): boolean =>
  takes === 'one' && value === 'own' && !(test.is === 'equal' && test.ignoreCase)

export const compared: readonly Choice[] = compareOperators
  .filter((name) => areCompared(operators[name]))
  .map((name) => choice(name, operators[name].meaning))

export const ofLevel: readonly Choice[] = [
  choice('fields', 'attributes to return'),
  choice('populate', 'relations to return', true),
  choice('filters', 'conditions for entries', true),
  choice('sort', 'order of the entries'),
]

export const pages: readonly Choice[] = [
  choice('page', 'number of the page'),
  choice('pageSize', 'entries per page'),
  choice('start', 'entries to skip'),
  choice('limit', 'entries to return'),
  choice('withCount', 'add the total to the response'),
  choice('after', 'entries after a cursor'),
  choice('before', 'entries before a cursor'),
]
