import { malformed, type QueryPath } from '../errors'
import type { AskedSort } from './asked'
import { isList, isObject, type Raw } from './raw'

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

/** `author.name:desc`. An empty key orders by nothing, which hides no entry and shows none. */
function readKey(text: string, path: QueryPath): AskedSort[] {
  const [name = '', direction = 'asc', ...rest] = text.split(':')
  if (rest.length > 0) throw malformed(path, 'Invalid sort parameter. Expected <attribute>:<asc|desc>')
  if (name.trim() === '') return []
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
  return raw.trim() === '' ? [] : sortKey(names, readDirection(raw, path), path)
}

function readElement(raw: Raw, path: QueryPath): AskedSort[] {
  if (raw === null || isList(raw)) return []
  if (isObject(raw)) return readNested(raw, [], path)
  return raw.split(',').flatMap((key) => readKey(key, path))
}

export function readSort(raw: Raw | undefined, path: QueryPath): readonly AskedSort[] {
  if (raw === undefined) return []
  return isList(raw) ? raw.flatMap((element) => readElement(element, path)) : readElement(raw, path)
}
