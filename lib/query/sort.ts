import { malformed, type QueryPath } from '../errors'
import type { AskedSort } from './asked'
import { type Habits, isBlank, isList, isObject, type Raw } from './raw'

type Direction = AskedSort['direction']

function readDirection(text: string, path: QueryPath): Direction {
  const direction = text.trim().toLowerCase()
  if (direction === 'asc' || direction === 'desc') return direction
  throw malformed(path, 'Invalid order. order can only be one of asc|desc|ASC|DESC')
}

function sortKey(names: readonly string[], direction: Direction, path: QueryPath): AskedSort[] {
  const [first, ...rest] = names
  return first === undefined ? [] : [{ names: [first, ...rest], direction, path }]
}

/** `author.name:desc`. */
function readKey(text: string, path: QueryPath): AskedSort[] {
  const [name = '', direction = 'asc', ...rest] = text.split(':')
  if (rest.length > 0 || name.trim() === '') {
    throw malformed(path, 'Invalid sort parameter. Expected <attribute>:<asc|desc>')
  }
  return sortKey(name.trim().split('.'), readDirection(direction, path), path)
}

/** `sort[author][name]=asc`. */
function readNested(raw: Raw, names: readonly string[], path: QueryPath): AskedSort[] {
  if (isObject(raw)) {
    return Object.entries(raw).flatMap(([name, value]) =>
      readNested(value, [...names, name], [...path, name]),
    )
  }
  if (typeof raw !== 'string') throw malformed(path, 'Invalid sort type: expected an object or a string')
  return sortKey(names, readDirection(raw, path), path)
}

function readElement(raw: Raw, habits: Habits, path: QueryPath): AskedSort[] {
  if (isBlank(raw)) return []
  if (isObject(raw)) return readNested(raw, [], path)
  if (!isList(raw)) return keysIn(raw, habits).flatMap((key) => readKey(key, path))
  // Strapi orders by nothing here, and by nothing where a key is empty.
  if (habits === 'strapi') return []
  throw malformed(path, 'Invalid sort parameter. Expected a list of <attribute>:<asc|desc>')
}

function keysIn(text: string, habits: Habits): string[] {
  const keys = text.split(',')
  return habits === 'strapi' ? keys.filter((key) => !/^\s*(:|$)/.test(key)) : keys
}

export function readSort(raw: Raw | undefined, habits: Habits, path: QueryPath): readonly AskedSort[] {
  if (isList(raw))
    return raw.flatMap((element, index) => readElement(element, habits, [...path, String(index)]))
  return raw === undefined ? [] : readElement(raw, habits, path)
}
