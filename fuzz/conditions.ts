import { type Chance, pick, times } from './chance'
import { link, name } from './names'
import { joined, list, type Say, sayValue } from './say'
import type { Known } from './types'
import { text } from './values'

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
const compare: Say = (chance, key) => {
  const operator = chance(60) === 0 ? text(chance) : pick(chance, operators)
  const at = `${key}[${operator}]`
  if (operator === '$between' && chance(8) > 0) return `${at}[0]=${text(chance)}&${at}[1]=${text(chance)}`
  if (['$in', '$notIn'].includes(operator) && chance(5) > 0) return list(chance, at, () => text(chance))
  return sayValue(chance, at, text(chance))
}

export const filter: Say = (chance, key, deep, type) => {
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
  if (way === 13) return sayValue(chance, `${key}[${name(chance, type)}]`, text(chance))
  return compare(chance, `${key}[${name(chance, type)}]`, deep, type)
}

function order(chance: Chance, type: Known): string {
  const direction = pick(chance, ['', '', '', '', ':asc', ':desc', ':DESC', ':', ':x'])
  if (chance(3) > 0) return name(chance, type) + direction
  const [through, to] = link(chance, type)
  return `${through}.${order(chance, to)}`
}

export const sort: Say = (chance, key, _deep, type) => {
  if (chance(4) === 0) return `${key}[${name(chance, type)}]=${pick(chance, ['asc', 'desc', text(chance)])}`
  if (chance(3) === 0) return list(chance, key, () => order(chance, type))
  return sayValue(chance, key, times(chance, 3, () => order(chance, type)).join(','))
}
