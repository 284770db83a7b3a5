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
  choice('$or', 'one of several holds', true),
  choice('$and', 'all of several hold', true),
  choice('$not', 'the contrary', true),
]

export const quantifiers: readonly Choice[] = [
  choice('$some', 'at least one', true),
  choice('$none', 'none of them', true),
  choice('$every', 'each of them', true),
  choice('$count', 'how many there are', true),
]

/** Counts have no case. */
const areCompared = ({ takes, value, test }: Operator): boolean =>
  takes === 'one' && value === 'own' && !(test.is === 'equal' && test.ignoreCase)

export const compared: readonly Choice[] = compareOperators
  .filter((name) => areCompared(operators[name]))
  .map((name) => choice(name, operators[name].meaning))

export const ofLevel: readonly Choice[] = [
  choice('fields', 'which attributes'),
  choice('populate', 'which links', true),
  choice('filters', 'which entries', true),
  choice('sort', 'in which order'),
]

export const pages: readonly Choice[] = [
  choice('page', 'the number of the page'),
  choice('pageSize', 'how many entries it has'),
  choice('start', 'how many come before'),
  choice('limit', 'how many there are'),
  choice('withCount', 'whether the total is told'),
  choice('after', 'the page behind a cursor'),
  choice('before', 'the page in front of a cursor'),
]
