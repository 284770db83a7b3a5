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
  return 'at' in filter ? [filter.at, ...namesIn(filter.of)] : []
}

/** Whatever its conditions and sorts name, attributes and links alike. */
export const namesAsked = ({ filters, sort = [] }: Ask): readonly string[] => [
  ...(filters === undefined ? [] : namesIn(filters)),
  ...sort.flatMap(({ names }) => names),
]
