import { type Chance, pick, times } from './chance'
import { filter, sort } from './conditions'
import { link, name, types, uids, unknown, wayDown } from './names'
import { joined, list, type Say, sayValue } from './say'
import type { Known } from './types'
import { numbers, text } from './values'

export const fields: Say = (chance, key, _deep, type) =>
  chance(3) === 0
    ? list(chance, key, () => name(chance, type))
    : sayValue(chance, key, times(chance, 4, () => name(chance, type)).join(','))

export function page(chance: Chance, key: string): string {
  if (chance(2) === 0) return `${key}[page]=${String(chance(4))}&${key}[pageSize]=${text(chance)}`
  return joined(
    times(chance, 3, () => {
      const part = pick(chance, ['page', 'pageSize', 'start', 'limit', 'withCount', text(chance)])
      return `${key}[${part}]=${chance(3) === 0 ? text(chance) : pick(chance, numbers)}`
    }),
  )
}

export const populateWithin: Say = (chance, key, deep, type) => {
  switch (chance(10)) {
    case 0:
      return fields(chance, `${key}[fields]`, deep, type)
    case 1:
    case 2:
      return filter(chance, `${key}[filters]`, deep - 1, type)
    case 3:
      return sort(chance, `${key}[sort]`, deep, type)
    case 4:
      return page(chance, `${key}[pagination]`)
    case 5: {
      const uid = pick(chance, uids)
      return populateWithin(
        chance,
        `${key}[on][${uid}]`,
        deep - 1,
        types.get(uid.replace(/^api.*\./, '')) ?? unknown,
      )
    }
    case 6:
      return `${key}[count]=${text(chance)}`
    default:
      return populate(chance, `${key}[populate]`, deep - 1, type)
  }
}

export function populate(chance: Chance, key: string, deep: number, type: Known): string {
  const way = deep <= 0 ? 0 : chance(10)
  const some = (): string =>
    chance(3) === 0 ? wayDown(chance, type, 2 + chance(4)).join('.') : link(chance, type)[0]
  if (way === 0) return `${key}=${chance(6) === 0 ? text(chance) : '*'}`
  if (way === 1) return sayValue(chance, key, times(chance, 3, some).join(','))
  if (way === 2) return list(chance, key, some)
  if (way === 3)
    return sayValue(
      chance,
      `${key}[${link(chance, type)[0]}]`,
      pick(chance, ['true', '*', 'false', text(chance)]),
    )
  const [through, to] = link(chance, type)
  return joined(times(chance, 2, () => populateWithin(chance, `${key}[${through}]`, deep, to)))
}
