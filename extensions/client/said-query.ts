import { ContentError } from './content-error'
import { isDate, queryText } from './query-text'

type SayableTable = Readonly<Record<string, unknown>>
type PlaceInQuery = readonly string[]

/** Dropping the value would widen the result: `{ owner: user?.id }` without a user. */
function unsayable(path: PlaceInQuery): ContentError {
  const at = path.join('.')
  const place = at === '' ? '' : ` at ${at}`
  const message = `Invalid query: a URL cannot contain the value${place}`
  return new ContentError(400, { error: { name: 'ValidationError', message, details: { path: at } } })
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)

const isEmptyList = (value: unknown): boolean => isList(value) && value.length === 0

const isUnsaid = (value: unknown): boolean => queryText({ value }) === ''

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Also for an `Object` of another frame, which has a constructor of its own. */
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
    // Parsers read brackets in names as nesting, encoded or not, and empty brackets as a list.
    if (name === '' || /[[\]]/.test(name)) throw unsayable([...path, name])
    return [name, value, [...path, name]]
  })
}

function said(value: unknown, path: PlaceInQuery): unknown {
  if (isList(value)) return Array.from(value, (part, at) => said(part, [...path, String(at)]))
  if (isTable(value)) return saidTable(value, path)
  // Other objects, such as class instances, may hold more than their properties.
  if (isDate(value) ? isNaN(value.getTime()) : isObject(value) || isUnsaid(value)) throw unsayable(path)
  return value
}

const saidTable = (table: unknown, path: PlaceInQuery): SayableTable =>
  Object.fromEntries(entriesOf(table, path).map(([name, value, at]) => [name, said(value, at)]))

/** Invalid values are rejected by the server. */
const ifTable = (value: unknown, path: PlaceInQuery, say: Saying): unknown =>
  (isTable(value) ? say : said)(value, path)

const givenEntriesOf = (table: unknown, path: PlaceInQuery): SayableEntry[] =>
  entriesOf(table, path).filter(([, value]) => value !== undefined)

/** No value matches an empty list. */
const nothing = { $null: true, $notNull: true }

/** The negation of an empty list matches all. */
const anything = { $not: nothing }

/** The type of an entry cannot be null. */
const isTag = (name: string | undefined): boolean => name?.startsWith('__') === true

function saidComparison([name, value, path]: SayableEntry): readonly (readonly [string, unknown])[] {
  if (!isEmptyList(value)) return [[name, saidConditions(value, path)]]
  if (isTag(path.at(-2)) || isTag(name)) throw unsayable(path)
  if (name === '$in' || name === '$notIn') return []
  // No count is negative.
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

/** A query for each relation; an empty one just populates it. */
const saidOfEach = (table: unknown, path: PlaceInQuery): SayableTable =>
  Object.fromEntries(
    givenEntriesOf(table, path).map(([name, asked, at]) => {
      if (isEmptyList(asked)) throw unsayable(at)
      const ask = ifTable(asked, at, saidQuery)
      return [name, isUnsaid(ask) ? true : ask]
    }),
  )

/** At the top level, an absent value would apply the defaults of the type; an empty text does not. */
const saidOrNone = (value: unknown, path: PlaceInQuery): unknown =>
  isUnsaid(value) && path.length === 1 ? '' : value

function saidPart([name, value, path]: SayableEntry): unknown {
  switch (name) {
    case 'fields':
      // An empty list would select all fields.
      return isEmptyList(value) ? ['id'] : saidSomething(said(value, path), path)
    case 'filters':
    case 'having':
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

/** Rewrites a query so that its URL has the meaning of the object. */
export const saidQuery = (query: unknown, path: PlaceInQuery = []): SayableTable =>
  Object.fromEntries(givenEntriesOf(query, path).map((entry) => [entry[0], saidPart(entry)]))
