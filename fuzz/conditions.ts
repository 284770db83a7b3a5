import { type Chance, pick, times } from './chance'
import { link, name } from './names'
import { joined, list, type Say, sayValue } from './say'
import type { Known } from './types'
import { text, textFor } from './values'

export const operators = [
  ...['$eq', '$eqi', '$ne', '$nei', '$lt', '$lte', '$gt', '$gte', '$in', '$notIn', '$contains', '$containsi'],
  ...[
    '$notContains',
    '$notContainsi',
    '$startsWith',
    '$startsWithi',
    '$endsWith',
    '$endsWithi',
    '$null',
    '$notNull',
  ],
  ...['$between', '$and', '$or', '$not', '$nope', '$jsonSupersetOf', '$raw'],
]
function compare(chance: Chance, key: string, type: Known): string {
  const attribute = name(chance, type)
  const value = (): string => textFor(chance, type.kinds.get(attribute))
  const operator = chance(60) === 0 ? text(chance) : pick(chance, operators)
  const at = `${key}[${attribute}][${operator}]`
  if (operator === '$between' && chance(8) > 0) return `${at}[0]=${value()}&${at}[1]=${value()}`
  if (['$in', '$notIn'].includes(operator) && chance(5) > 0) return list(chance, at, value)
  return sayValue(chance, at, value())
}

const compareAny: Say = (chance, key, _deep, type) => compare(chance, key, type)

/** As many side by side through one link as no database is to be given at once. */
const crowd: Say = (chance, key, deep, type) => {
  const [through, to] = link(chance, type)
  const group = pick(chance, ['$and', '$and', '$or'])
  const way = chance(5) === 0 ? filter : compareAny
  return joined(
    times(chance, 40, (at) => way(chance, `${key}[${group}][${String(at)}][${through}]`, deep - 1, to)),
  )
}

export const filter: Say = (chance, key, deep, type) => {
  if (deep > 0 && chance(40) === 0) return crowd(chance, key, deep, type)
  const way = deep <= 0 ? 9 : chance(14)
  if (way < 3) {
    const group = pick(chance, ['$and', '$or'])
    return joined(times(chance, 3, (at) => filter(chance, `${key}[${group}][${String(at)}]`, deep - 1, type)))
  }
  if (way < 4) return filter(chance, `${key}[$not]`, deep - 1, type)
  if (way < 8) {
    const [through, to] = link(chance, type)
    return filter(chance, `${key}[${through}]`, deep - 1, to)
  }
  if (way === 13) {
    const attribute = name(chance, type)
    return sayValue(chance, `${key}[${attribute}]`, textFor(chance, type.kinds.get(attribute)))
  }
  return compare(chance, key, type)
}

function order(chance: Chance, type: Known): string {
  const direction = pick(chance, ['', '', '', '', ':asc', ':desc', ':DESC', ':', ':x'])
  if (chance(3) > 0) return name(chance, type) + direction
  const [through, to] = link(chance, type)
  return `${through}.${order(chance, to)}`
}

/** As far as any sort may lead, or farther, through lists that lead to others: the ways are more with every link. */
function farOrder(chance: Chance, type: Known): string {
  const names: string[] = []
  let place = type
  for (let left = pick(chance, [2, 3, 4, 6, 8, 8, 8, 9]); left > 0; left -= 1) {
    const lists = place.lists.filter(([, to]) => to.lists.length > 0)
    const [through, to] = lists.length > 0 && chance(20) > 0 ? pick(chance, lists) : link(chance, place)
    names.push(through)
    place = to
  }
  return [...names, name(chance, place)].join('.')
}

/** A few keys many times over, forwards and backwards. */
function crowdedOrder(chance: Chance, type: Known): string {
  const keys = times(chance, 3, () => `${link(chance, type)[0]}.${pick(chance, ['id', 'name', 'title'])}`)
  return Array.from(
    { length: 50 + chance(900) },
    () => pick(chance, keys) + pick(chance, ['', ':desc']),
  ).join()
}

export const sort: Say = (chance, key, _deep, type) => {
  const rare = chance(20)
  if (rare === 0) return `${key}=${crowdedOrder(chance, type)}`
  if (rare < 4) return `${key}=${farOrder(chance, type)}`
  if (chance(4) === 0) return `${key}[${name(chance, type)}]=${pick(chance, ['asc', 'desc', text(chance)])}`
  if (chance(3) === 0) return list(chance, key, () => order(chance, type))
  return sayValue(chance, key, times(chance, 3, () => order(chance, type)).join(','))
}
