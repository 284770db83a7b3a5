import type { Ask, Filter } from '../requests/request'

/** An ask, and all that it populates. */
export const asksOf = (ask: Ask): readonly Ask[] => [
  ask,
  ...(typeof ask.populate === 'string' ? [] : (ask.populate ?? [])).flatMap((wanted) => asksOf(wanted.ask)),
  ...(ask.on ?? []).flatMap((wanted) => asksOf(wanted.ask)),
]

function namesIn(filter: Filter): string[] {
  if ('all' in filter) return filter.all.flatMap(namesIn)
  if ('any' in filter) return filter.any.flatMap(namesIn)
  if ('not' in filter) return namesIn(filter.not)
  if ('which' in filter) return namesIn(filter.of)
  if ('count' in filter) return namesIn(filter.count)
  return 'at' in filter ? [filter.at, ...namesIn(filter.of)] : []
}

/** Whatever its conditions and sorts name, attributes and links alike. */
export const namesAsked = ({ filters, sort = [] }: Ask): readonly string[] => [
  ...(filters === undefined ? [] : namesIn(filters)),
  ...sort.flatMap(({ names }) => names),
]

/** One operator, and the attribute that it stands at. */
export interface AskedOperator {
  readonly name: string
  readonly operator: string
}

function operatorsIn(filter: Filter, name: string): AskedOperator[] {
  if ('all' in filter) return filter.all.flatMap((one) => operatorsIn(one, name))
  if ('any' in filter) return filter.any.flatMap((one) => operatorsIn(one, name))
  if ('not' in filter) return operatorsIn(filter.not, name)
  if ('which' in filter) return operatorsIn(filter.of, name)
  if ('count' in filter) return operatorsIn(filter.count, name)
  return 'at' in filter ? operatorsIn(filter.of, filter.at) : [{ name, operator: filter.operator }]
}

export const operatorsAsked = ({ filters }: Ask): readonly AskedOperator[] =>
  filters === undefined ? [] : operatorsIn(filters, '')
