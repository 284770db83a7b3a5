import { types } from 'node:util'
import {
  checkKey,
  checkLength,
  isRawObject,
  mostBrackets,
  nested,
  type Raw,
  type RawObject,
  type TextLimits,
  tooLong,
  tooMany,
} from './raw'

/** Error in an object of the host. The message never contains the value. */
export class UnfitQuery extends Error {
  override readonly name = 'UnfitQuery'

  constructor(
    readonly path: readonly string[],
    readonly problem: string,
  ) {
    super(`${path.join('.')} ${problem}`)
  }
}

/** Minimum around a name or a value: `""`, `{}`, `[]`. */
const quotes = 2

/** Each context of a process has its own `Object`. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function scalarOf(value: unknown, path: readonly string[]): Raw {
  if (value === null || typeof value === 'string') return value
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  if (types.isDate(value) && !Number.isNaN(value.getTime())) return value.toISOString()
  throw new UnfitQuery(path, 'is neither a text, a number, true, false, null, a list nor an object')
}

interface Counted {
  readonly limits: TextLimits
  parameters: number
  characters: number
}

/** Lower bound of the text's length. */
function countCharacters(counted: Counted, more: number): void {
  counted.characters += more
  checkLength(counted.characters, counted.limits)
}

function countParameter(counted: Counted, raw: Raw): Raw {
  counted.parameters += 1
  if (counted.parameters > counted.limits.maxParameters) throw tooMany(counted.limits)
  countCharacters(counted, typeof raw === 'string' ? raw.length : 0)
  return raw
}

function listOf(value: readonly unknown[], path: readonly string[], counted: Counted): Raw {
  if (value.length > counted.limits.arrayLimit) throw tooLong(path, counted.limits)
  // Unlike `map`, includes holes.
  return Array.from(value, (part: unknown, index) => rawOf(part, [...path, String(index)], counted))
}

/** The parameter at any level, not an attribute of that name. */
const isFilters = (name: string, path: readonly string[]): boolean =>
  name === 'filters' && !path.includes('filters') && path.at(-1) !== 'populate'

function objectOf(value: object, path: readonly string[], counted: Counted): Raw {
  const raw = Object.create(null) as Record<string, Raw>
  // Conditions under such names would be dropped.
  if (Reflect.ownKeys(value).length > Object.keys(value).length)
    throw new UnfitQuery(path, 'has a name that is no text, or that is not listed')
  // One value at a time: a client may have sent very many.
  for (const name of Object.keys(value)) {
    const part = (value as Readonly<Record<string, unknown>>)[name]
    countCharacters(counted, name.length + quotes)
    if (part === null && isFilters(name, path))
      throw new UnfitQuery([...path, name], 'is null: without conditions it is left out')
    if (part !== undefined) raw[name] = rawOf(part, [...path, name], counted)
    // Dropped conditions would show hidden entries: `{ owner: req.user?.id }` without a user.
    else if (path.includes('filters')) throw new UnfitQuery([...path, name], 'is undefined')
  }
  return raw
}

function rawOf(value: unknown, path: readonly string[], counted: Counted): Raw {
  if (path.length > mostBrackets) throw new UnfitQuery(path.slice(0, 2), 'goes deeper than any query')
  countCharacters(counted, quotes)
  if (Array.isArray(value)) return listOf(value, path, counted)
  if (typeof value === 'object' && value !== null && isPlain(value)) return objectOf(value, path, counted)
  return countParameter(counted, scalarOf(value, path))
}

/** Query as an object: numbers, booleans and dates become texts, within the limits of a text. */
export function readHostQuery(value: object, limits: TextLimits, path: readonly string[] = []): RawObject {
  const raw = rawOf(value, path, { limits, parameters: 0, characters: 0 })
  if (isRawObject(raw)) return raw
  throw new UnfitQuery(path, 'is no object')
}

/** Express's simple parser does not parse brackets in names. */
export function checkHostQuery(raw: RawObject, limits: TextLimits): RawObject {
  checkLength(JSON.stringify(raw).length, limits)
  for (const name of Object.keys(raw)) checkKey(name, limits)
  return Object.keys(raw).some((name) => name.includes('[')) ? nested(raw, limits) : raw
}
