import { type Chance, happens, pick, times } from './chance'
import type { SortKey } from './request'
import type { Speaker } from './speaker'
import { type KnownType, passable } from './vocabulary'

const directions = ['asc', 'desc'] as const

/** One in four leads as far as it may, through lists where there are any; one in forty farther. */
function mostLinks(chance: Chance): number {
  if (happens(chance, 75)) return times(chance, 0, 3, () => 0).filter(() => happens(chance, 40)).length
  return happens(chance, 10) ? 9 : 2 + chance(7)
}

function sortKey({ chance, words }: Speaker, type: KnownType): SortKey {
  const names: string[] = []
  const most = mostLinks(chance)
  let place = type
  while (names.length < most) {
    const ways = passable(place)
    const lists = ways.filter(({ many, to }) => many && passable(to).length > 0)
    const able = lists.length > 0 && happens(chance, 70) ? lists : ways
    if (able.length === 0) break
    const { name, to } = pick(chance, able)
    names.push(name)
    place = to
  }
  if (words.beyondStrapi && place.links.length > 0 && names.length < 8 && happens(chance, 15)) {
    const { name } = pick(chance, place.links)
    return { names: [...names, words.name(name), '$count'], direction: pick(chance, directions) }
  }
  // JSON has no order that all databases agree on.
  const last = pick(
    chance,
    place.scalars.filter(({ kind }) => kind !== 'json'),
  )
  return { names: [...names, words.name(last.name)], direction: pick(chance, directions) }
}

/** Now and then many, most of which stood before: whichever way they lead, they decide nothing any more. */
export function sortKeys(speaker: Speaker, type: KnownType): SortKey[] {
  const { chance, words } = speaker
  const keys = times(chance, 1, happens(chance, 10) ? 12 : 2, () => sortKey(speaker, type))
  if (happens(chance, 80)) return keys
  const again = (): SortKey => ({ ...pick(chance, keys), direction: pick(chance, directions) })
  const id = (): SortKey => ({ names: ['id'], direction: pick(chance, directions) })
  const repeated = times(chance, 1, words.repeatedKeys, again)
  return [...keys, ...repeated, ...(happens(chance, 30) ? [id(), sortKey(speaker, type)] : [])]
}
