import { types } from 'node:util'
import qs from 'qs'
import { lastOf, LimitError, malformed, type QueryPath, unknownKey, inside } from '../errors'

export interface QueryPlace {
  readonly path: QueryPath
  readonly depth: number
  /** True in rules, which may use values of the current user. */
  readonly isRule?: true
}

/** Names, fragments and groups of conditions are levels. So many take half of the stack of later steps. */
const mostLevels = 250

const tooDeep = (path: QueryPath): Error =>
  malformed([...path].slice(0, 2), `A query can have at most ${String(mostLevels)} levels`)

export const top = (name: string): QueryPlace => ({ path: [name], depth: 0 })

export const within = (place: QueryPlace, name: string): QueryPlace => ({
  ...place,
  path: inside(place.path, name),
})

export function deeper(place: QueryPlace, levels = 1): QueryPlace {
  const { path, depth } = place
  if (depth + levels > mostLevels) throw tooDeep(path)
  return { ...place, depth: depth + levels }
}

/** Parsed text; null is a parameter without `=`. */
export type Raw = string | null | readonly Raw[] | RawObject
export interface RawObject {
  readonly [key: string]: Raw
}

/** `'strapi'`: nonsense that Strapi accepts is read as in Strapi. */
export type Habits = 'strict' | 'strapi'

export interface TextLimits {
  readonly arrayLimit: number
  readonly maxParameters: number
  readonly maxLength: number
}

export const isRawList = (raw: Raw | undefined): raw is readonly Raw[] => Array.isArray(raw)
export const isRawObject = (raw: Raw | undefined): raw is RawObject =>
  typeof raw === 'object' && raw !== null && !Array.isArray(raw)

export const isBlank = (raw: Raw | undefined): raw is undefined | null | '' =>
  raw === undefined || raw === null || raw === ''

const tooLong = (path: QueryPath, { arrayLimit }: TextLimits): Error =>
  new LimitError(
    'arrayLimit',
    path,
    `Invalid list: at most ${String(arrayLimit)} elements are allowed in a list`,
  )

const tooMany = ({ maxParameters }: TextLimits): Error =>
  new LimitError('maxParameters', [], `At most ${String(maxParameters)} parameters are allowed`)

/** Each level takes at most two, the last one a few more. */
const mostBrackets = 2 * mostLevels + 4

function pathOf(key: string): string[] {
  return key.split('[').map((segment) => segment.replace(/\]$/, ''))
}

/** Names of components have dots: then the form with brackets is used. */
export const placeInQuery = (text: string): readonly string[] =>
  text.includes('[') ? pathOf(text) : text.split('.')

/** Security: qs turns long lists into objects and drops `__proto__`, and a dropped condition shows more. */
function checkKey(key: string, limits: TextLimits): void {
  const path = pathOf(key)
  if (path.length > mostBrackets) throw tooDeep(path)
  if (path.includes('__proto__')) throw unknownKey(path, '__proto__')
  const tooFar = path
    .slice(1)
    .some((segment) => /^\d+$/.test(segment) && Number(segment) >= limits.arrayLimit)
  if (tooFar) throw tooLong(path, limits)
}

function parse(
  text: string | RawObject,
  limits: TextLimits,
  decoder?: qs.IParseOptions['decoder'],
): RawObject {
  const { arrayLimit, maxParameters } = limits
  try {
    return qs.parse(text as string, {
      depth: Infinity,
      arrayLimit,
      parameterLimit: maxParameters,
      throwOnLimitExceeded: true,
      strictNullHandling: true,
      plainObjects: true,
      decoder,
    }) as RawObject
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw error.message.startsWith('Parameter') ? tooMany(limits) : tooLong([], limits)
  }
}

function checkLength(length: number, { maxLength }: TextLimits): void {
  if (length > maxLength)
    throw new LimitError('maxLength', [], `A query can have at most ${String(maxLength)} characters`)
}

export function readText(text: string, limits: TextLimits): RawObject {
  checkLength(text.length, limits)
  const seen = new Map<string, number>()
  return parse(text, limits, (part, decode, charset, type) => {
    const decoded: unknown = decode(part, undefined, charset)
    if (type !== 'key') return decoded
    const key = String(decoded)
    checkKey(key, limits)
    const count = (seen.get(key) ?? 0) + 1
    seen.set(key, count)
    if (count > limits.arrayLimit) throw tooLong(pathOf(key), limits)
    return decoded
  })
}

const truths = ['t', 'true', '1']
const falsehoods = ['f', 'false', '0']

export function readBoolean(raw: Raw | undefined): boolean | undefined {
  if (typeof raw !== 'string') return undefined
  if (truths.includes(raw)) return true
  return falsehoods.includes(raw) ? false : undefined
}

export function readNames(text: string, path: QueryPath): string[] {
  const names = text.split(',').map((name) => name.trim())
  if (names.includes('')) throw malformed(path, `Invalid ${lastOf(path)} parameter: a name is empty`)
  return names
}

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
  throw new UnfitQuery(path, 'the value must be a string, a number, a boolean, null, a list or an object')
}

interface Counted {
  readonly limits: TextLimits
  parameters: number
  characters: number
}

/** Lower bound of the text's length: names and values have `""`, `{}` or `[]` around them. */
function countCharacters(counted: Counted, more: number): void {
  counted.characters += more
  checkLength(counted.characters, counted.limits)
}

function objectOf(value: object, path: readonly string[], counted: Counted): Raw {
  const raw = Object.create(null) as Record<string, Raw>
  const isInFilters = path.includes('filters')
  // Conditions under such names would be dropped.
  if (Reflect.ownKeys(value).length > Object.keys(value).length)
    throw new UnfitQuery(path, 'the object has a key that is a symbol or not enumerable')
  // One value at a time: a client may have sent very many.
  for (const name of Object.keys(value)) {
    const part = (value as Readonly<Record<string, unknown>>)[name]
    countCharacters(counted, name.length + 2)
    // The parameter at any level, not an attribute of that name.
    if (part === null && name === 'filters' && !isInFilters && path.at(-1) !== 'populate')
      throw new UnfitQuery([...path, name], 'the value is null. Remove filters without conditions')
    if (part !== undefined) raw[name] = rawOf(part, [...path, name], counted)
    // Dropped conditions would show hidden entries: `{ owner: req.user?.id }` without a user.
    else if (isInFilters) throw new UnfitQuery([...path, name], 'the value is undefined')
  }
  return raw
}

function rawOf(value: unknown, path: readonly string[], counted: Counted): Raw {
  if (path.length > mostBrackets) throw new UnfitQuery(path.slice(0, 2), 'the value has too many levels')
  countCharacters(counted, 2)
  const { limits } = counted
  if (Array.isArray(value)) {
    if (value.length > limits.arrayLimit) throw tooLong(path, limits)
    // Unlike `map`, includes holes.
    return Array.from(value, (part: unknown, index) => rawOf(part, [...path, String(index)], counted))
  }
  if (typeof value === 'object' && value !== null && isPlain(value)) return objectOf(value, path, counted)
  const raw = scalarOf(value, path)
  counted.parameters += 1
  if (counted.parameters > limits.maxParameters) throw tooMany(limits)
  countCharacters(counted, typeof raw === 'string' ? raw.length : 0)
  return raw
}

/** Query as an object: numbers, booleans and dates become texts, within the limits of a text. */
export function readHostQuery(value: object, limits: TextLimits, path: readonly string[] = []): RawObject {
  const raw = rawOf(value, path, { limits, parameters: 0, characters: 0 })
  if (isRawObject(raw)) return raw
  throw new UnfitQuery(path, 'the value must be an object')
}

/** Express's simple parser does not parse brackets in names. */
export function checkHostQuery(raw: RawObject, limits: TextLimits): RawObject {
  checkLength(JSON.stringify(raw).length, limits)
  for (const name of Object.keys(raw)) checkKey(name, limits)
  return Object.keys(raw).some((name) => name.includes('[')) ? parse(raw, limits) : raw
}
