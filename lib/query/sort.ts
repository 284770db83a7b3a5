import { LimitError, malformed, type QueryPath } from '../errors'
import type { QuerySort } from './query'
import {
  deeper,
  type QueryPlace,
  within,
  type Habits,
  isBlank,
  isRawList,
  isRawObject,
  type Raw,
} from './raw'

type Direction = Pick<QuerySort, 'direction' | 'isDirected'>

export interface SortLimits {
  readonly habits: Habits
  readonly maxSortKeys: number
}

const byDefault: Direction = { direction: 'asc', isDirected: false }

function readDirection(text: string, path: QueryPath): Direction {
  const direction = text.trim().toLowerCase()
  if (direction === 'asc' || direction === 'desc') return { direction, isDirected: true }
  throw malformed(path, 'Invalid order. order can only be one of asc|desc|ASC|DESC')
}

function sortKey(names: readonly string[], direction: Direction, place: QueryPlace): QuerySort[] {
  const { path } = deeper(place, names.length)
  const [first, ...rest] = names
  return first === undefined ? [] : [{ names: [first, ...rest], ...direction, path }]
}

/** `author.name:desc`. */
function readKey(text: string, place: QueryPlace): QuerySort[] {
  const { path } = place
  const [name = '', direction, ...rest] = text.split(':')
  if (rest.length > 0 || name.trim() === '') {
    throw malformed(path, 'Invalid sort parameter. Expected <attribute>:<asc|desc>')
  }
  const asked = direction === undefined ? byDefault : readDirection(direction, path)
  return sortKey(name.trim().split('.'), asked, place)
}

/** `sort[author][name]=asc`. */
function readNested(raw: Raw, names: readonly string[], place: QueryPlace): QuerySort[] {
  if (isRawObject(raw)) {
    return Object.entries(raw).flatMap(([name, value]) => readNested(value, [...names, name], place))
  }
  const path = [...place.path, ...names]
  if (typeof raw !== 'string') throw malformed(path, 'Invalid sort type: expected an object or a string')
  return sortKey(names, readDirection(raw, path), place)
}

function readElement(raw: Raw, habits: Habits, place: QueryPlace): QuerySort[] {
  if (isBlank(raw)) return []
  if (isRawObject(raw)) return readNested(raw, [], place)
  // Strapi ignores nested lists and empty keys.
  if (!isRawList(raw)) {
    const keys = raw.split(',').filter((key) => habits !== 'strapi' || !/^\s*(:|$)/.test(key))
    return keys.flatMap((key) => readKey(key, place))
  }
  if (habits === 'strapi') return []
  throw malformed(place.path, 'Invalid sort parameter. Expected a list of <attribute>:<asc|desc>')
}

/** Repeated keys have no effect. Through links, the other direction is another key: the last value. */
function withoutRepeated(keys: readonly QuerySort[]): readonly QuerySort[] {
  const seen = new Set<string>()
  return keys.filter(({ names, direction }) => {
    const key = JSON.stringify(names.length === 1 ? names : [...names, direction])
    const isNew = !seen.has(key)
    seen.add(key)
    return isNew
  })
}

export function readSort(
  raw: Raw | undefined,
  { habits, maxSortKeys }: SortLimits,
  place: QueryPlace,
): readonly QuerySort[] {
  const read = isRawList(raw)
    ? raw.flatMap((element, index) => readElement(element, habits, within(place, String(index))))
    : readElement(raw ?? null, habits, place)
  const keys = withoutRepeated(read)
  if (keys.length <= maxSortKeys) return keys
  throw new LimitError('maxSortKeys', place.path, `The list has more than ${String(maxSortKeys)} sort keys`)
}
