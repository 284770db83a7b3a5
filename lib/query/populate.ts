import { inside, malformed, type QueryPath, unknownKey, lastOf } from '../errors'
import { once } from '../memory'
import { unknownAmong } from '../schema'
import type { LevelQuery, PopulateEntry, QueryPopulate, QueryFields } from './query'
import { readFilters } from './filters'
import { type PageLimits, readNestedPage } from './page'
import {
  deeper,
  type QueryPlace,
  within,
  isRawList,
  isRawObject,
  type Raw,
  type RawObject,
  readBoolean,
  readNames,
} from './raw'
import { readSort, type SortLimits } from './sort'

const populatesNothing = (path: QueryPath): QueryPopulate => ({ all: false, entries: [], path })

export function wholeQuery(path: QueryPath, populate: QueryPopulate = populatesNothing(path)): LevelQuery {
  const none = { filters: null, sort: [], on: null, count: false, page: null, keys: [], dotted: false }
  return { fields: '*', populate, ...none, path }
}

function namesIn(raw: Raw, path: QueryPath): string[] {
  if (typeof raw === 'string') return readNames(raw, path)
  throw malformed(path, 'Invalid fields parameter. Expected a string or an array of strings')
}

export const includesAll = (fields: QueryFields): boolean => fields === '*' || fields.names.includes('*')

export function readFields(raw: Raw | undefined, path: QueryPath): QueryFields {
  if (raw === undefined || raw === null) return '*'
  const names = new Set(
    isRawList(raw) ? raw.flatMap((element) => namesIn(element, path)) : namesIn(raw, path),
  )
  return names.size === 1 && names.has('*') ? '*' : { names: [...names], path }
}

/** Values other than true, false and objects are mostly names to populate below. Unknown names get the same error. */
function nothingBelow(path: QueryPath, raw: Raw): Error {
  const [first = '', ...others] = path
  const at = first + others.map((name) => `[${name}]`).join('')
  if (typeof raw === 'string' && raw !== '') return unknownKey(path, raw, `write ${at}[populate]=${raw}`)
  const right = typeof raw === 'object' && raw !== null ? `${at}[populate][0]=<name>` : `${at}=true`
  return malformed(path, `Invalid populate of ${lastOf(path)}: write ${right}`)
}

export interface PopulateLimits extends SortLimits {
  /** Null: related entries cannot be paged. */
  readonly nestedPage: PageLimits | null
}

const keys = ['populate', 'fields', 'sort', 'filters', 'on', 'count', 'pagination']

/** Tree of dotted paths. `author` behind `author.country` means the author alone. */
class Names extends Map<string, Names> {}

function namesOf(text: string, { habits }: PopulateLimits, path: QueryPath): string[] {
  const names = text.trim().split('.')
  if (!names.includes('')) return names
  if (habits === 'strapi') return names.filter((name) => name !== '')
  throw malformed(path, 'Invalid populate parameter: a name is empty')
}

function fromTree(tree: Names, path: QueryPath): QueryPopulate {
  const entries = [...tree].map(([name, below]) => {
    const at = inside(path, name)
    const query = { ...wholeQuery(at, fromTree(below, at)), dotted: below.size > 0 }
    return { name, path: at, query }
  })
  return { all: false, entries, path }
}

function readPaths(texts: readonly Raw[], limits: PopulateLimits, place: QueryPlace): QueryPopulate {
  const { path } = place
  const tree = new Names()
  for (const text of texts) {
    if (typeof text !== 'string') {
      const expected = 'Expected a string, an array of strings, a populate object'
      throw malformed(path, `Invalid populate parameter. ${expected}`)
    }
    if (text.trim() === '') continue
    for (const dotted of text.split(',')) {
      const names = namesOf(dotted, limits, path)
      deeper(place, names.length)
      const last = names.pop()
      let below = tree
      for (const name of names) below = once(below, name, () => new Names())
      if (last !== undefined) below.set(last, new Names())
    }
  }
  return fromTree(tree, path)
}

/** Null for false; undefined for a value that is neither a boolean nor an object. */
function readPart(raw: Raw, limits: PopulateLimits, place: QueryPlace): LevelQuery | null | undefined {
  if (isRawObject(raw)) return readLevelQuery(raw, limits, place)
  const isPopulated = readBoolean(raw)
  return isPopulated === true ? wholeQuery(place.path) : isPopulated === false ? null : undefined
}

function readEntries(
  raw: RawObject,
  limits: PopulateLimits,
  place: QueryPlace,
  refuse: (path: QueryPath, value: Raw) => Error,
): readonly PopulateEntry[] {
  return Object.entries(raw).map(([name, value]) => {
    const below = deeper(within(place, name))
    const query = readPart(value, limits, below)
    if (query === undefined) throw refuse(below.path, value)
    return { name, path: below.path, query }
  })
}

function readOn(raw: Raw | undefined, limits: PopulateLimits, place: QueryPlace): LevelQuery['on'] {
  if (raw === undefined) return null
  if (!isRawObject(raw)) throw unknownKey(place.path, 'on')
  return readEntries(raw, limits, place, (path) => malformed(path, 'Expected true, false or an object'))
}

function readCount(raw: Raw | undefined, path: QueryPath): boolean {
  const count = raw === undefined ? false : readBoolean(raw)
  if (count !== undefined) return count
  throw malformed(path, 'Invalid count parameter. Expected true or false')
}

function readPage(
  raw: Raw | undefined,
  { nestedPage, habits }: PopulateLimits,
  path: QueryPath,
): LevelQuery['page'] {
  if (raw === undefined) return null
  if (nestedPage !== null) return readNestedPage(raw, nestedPage, habits, path)
  throw malformed(
    path,
    'Invalid key pagination: related entries are not paged; the option nestedPagination allows pages',
  )
}

function readLevelQuery(raw: RawObject, limits: PopulateLimits, place: QueryPlace): LevelQuery {
  const { path } = place
  const odd = Object.keys(raw).find((key) => !keys.includes(key))
  if (odd !== undefined) throw unknownAmong(inside(path, odd), odd, keys)
  return {
    fields: readFields(raw['fields'], inside(path, 'fields')),
    populate: readNested(raw['populate'], limits, within(place, 'populate')),
    filters: readFilters(raw['filters'], within(place, 'filters')),
    sort: readSort(raw['sort'], limits, within(place, 'sort')),
    on: readOn(raw['on'], limits, within(place, 'on')),
    count: readCount(raw['count'], inside(path, 'count')),
    page: readPage(raw['pagination'], limits, inside(path, 'pagination')),
    keys: Object.keys(raw),
    dotted: false,
    path,
  }
}

function readNested(raw: Raw | undefined, limits: PopulateLimits, place: QueryPlace): QueryPopulate {
  if (typeof raw === 'string' && (raw.trim() === '' || raw.includes(','))) {
    throw malformed(place.path, 'Invalid nested populate. Expected *, one name, a list or an object')
  }
  return readPopulate(raw, limits, place)
}

export function readPopulate(raw: Raw | undefined, limits: PopulateLimits, place: QueryPlace): QueryPopulate {
  if (raw === undefined || raw === null || raw === '') return populatesNothing(place.path)
  if (raw === '*') return { all: true, entries: [], path: deeper(place).path }
  if (isRawObject(raw))
    return { all: false, entries: readEntries(raw, limits, place, nothingBelow), path: place.path }
  return readPaths(isRawList(raw) ? raw : [raw], limits, place)
}
