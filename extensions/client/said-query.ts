import { ContentError } from './content-error'
import { isDate, queryText } from './query-text'

type SayableTable = Readonly<Record<string, unknown>>
type PlaceInQuery = readonly string[]

/** What would fall away shows what it was to keep back: `{ owner: user?.id }` where no user is logged in. */
function unsayable(path: PlaceInQuery): ContentError {
  const at = path.join('.')
  const message = `Invalid query: no URL can say what stands at ${at === '' ? 'its place' : at}`
  return new ContentError(400, { error: { name: 'ValidationError', message, details: { path: at } } })
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)

const isEmptyList = (value: unknown): boolean => isList(value) && value.length === 0

const isUnsaid = (value: unknown): boolean => queryText({ value }) === ''

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Wherever it was made: each frame of a page has an `Object` of its own. */
function isTable(value: unknown): value is SayableTable {
  if (!isObject(value) || isList(value) || isDate(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

type Saying = (value: unknown, path: PlaceInQuery) => unknown
type SayableEntry = readonly [name: string, value: unknown, path: PlaceInQuery]

function entriesOf(table: unknown, path: PlaceInQuery): SayableEntry[] {
  if (!isTable(table) || Reflect.ownKeys(table).length > Object.keys(table).length) throw unsayable(path)
  return Object.entries(table).map(([name, value]) => {
    // Readers take brackets for brackets, however they are written, and nothing between two for a place in a list.
    if (name === '' || /[[\]]/.test(name)) throw unsayable([...path, name])
    return [name, value, [...path, name]]
  })
}

function said(value: unknown, path: PlaceInQuery): unknown {
  if (isList(value)) return Array.from(value, (part, at) => said(part, [...path, String(at)]))
  if (isTable(value)) return saidTable(value, path)
  // Of other objects what is listed may not be all that they hold.
  if (isDate(value) ? isNaN(value.getTime()) : isObject(value) || isUnsaid(value)) throw unsayable(path)
  return value
}

const saidTable = (table: unknown, path: PlaceInQuery): SayableTable =>
  Object.fromEntries(entriesOf(table, path).map(([name, value, at]) => [name, said(value, at)]))

/** What is wrongly none is told so by the server. */
const ifTable = (value: unknown, path: PlaceInQuery, say: Saying): unknown =>
  (isTable(value) ? say : said)(value, path)

const givenEntriesOf = (table: unknown, path: PlaceInQuery): SayableEntry[] =>
  entriesOf(table, path).filter(([, value]) => value !== undefined)

/** Nothing is among no values. */
const nothing = { $null: true, $notNull: true }

/** All but those of an empty list are all. */
const anything = { $not: nothing }

/** Which of several types an entry is has no value that could be missing. */
const isTag = (name: string | undefined): boolean => name?.startsWith('__') === true

function saidComparison([name, value, path]: SayableEntry): readonly (readonly [string, unknown])[] {
  if (!isEmptyList(value)) return [[name, saidConditions(value, path)]]
  if (isTag(path.at(-2)) || isTag(name)) throw unsayable(path)
  if (name === '$in' || name === '$notIn') return []
  // As many as none of no numbers.
  if (name === '$count') return [[name, { $lt: 0 }]]
  if (name.startsWith('$')) throw unsayable(path)
  return [[name, nothing]]
}

function saidConditionTable(conditions: unknown, path: PlaceInQuery): SayableTable {
  const entries = entriesOf(conditions, path)
  if (entries.length === 0) throw unsayable(path)
  const comparisons = Object.fromEntries(entries.flatMap(saidComparison))
  if (entries.some(([name, value]) => name === '$in' && isEmptyList(value)))
    return { ...comparisons, ...nothing }
  return Object.keys(comparisons).length === 0 ? anything : comparisons
}

function saidConditions(value: unknown, path: PlaceInQuery): unknown {
  if (isTable(value)) return saidConditionTable(value, path)
  if (!isList(value)) return said(value, path)
  if (value.length === 0) throw unsayable(path)
  return Array.from(value, (part, at) => saidConditions(part, [...path, String(at)]))
}

/** Of each link what is asked of it, if only that it be shown. */
const saidOfEach = (table: unknown, path: PlaceInQuery): SayableTable =>
  Object.fromEntries(
    givenEntriesOf(table, path).map(([name, asked, at]) => {
      if (isEmptyList(asked)) throw unsayable(at)
      const ask = ifTable(asked, at, saidQuery)
      return [name, isUnsaid(ask) ? true : ask]
    }),
  )

/** Where nothing were said, the defaults of the type would hold, which are those of its own entries alone. */
const saidOrNone = (value: unknown, path: PlaceInQuery): unknown =>
  isUnsaid(value) && path.length === 1 ? '' : value

function saidPart([name, value, path]: SayableEntry): unknown {
  switch (name) {
    case 'fields':
      // Without any, all would be shown.
      return isEmptyList(value) ? ['id'] : saidSomething(said(value, path), path)
    case 'filters':
      if (typeof value === 'string') return value
      return entriesOf(value, path).length > 0 ? saidConditionTable(value, path) : value
    case 'on':
      return saidSomething(ifTable(value, path, saidOfEach), path)
    case 'populate':
      return saidOrNone(ifTable(value, path, saidOfEach), path)
    case 'pagination':
      return ifTable(value, path, saidQuery)
    case 'sort':
      return saidOrNone(said(value, path), path)
    default:
      return saidSomething(said(value, path), path)
  }
}

function saidSomething(value: unknown, path: PlaceInQuery): unknown {
  if (isUnsaid(value)) throw unsayable(path)
  return value
}

/** A query in words that a URL can say, so that it means there what it means as an object. */
export const saidQuery = (query: unknown, path: PlaceInQuery = []): SayableTable =>
  Object.fromEntries(givenEntriesOf(query, path).map((entry) => [entry[0], saidPart(entry)]))
