import { types } from 'node:util'
import {
  checkKey,
  checkLength,
  isList,
  isObject,
  mostBrackets,
  nested,
  type Raw,
  type RawObject,
  type TextLimits,
  tooLong,
  tooMany,
} from './raw'

/** What no query can hold was found in a host's object. Says what and where, never the value. */
export class UnfitQuery extends Error {
  override readonly name = 'UnfitQuery'

  constructor(
    readonly path: readonly string[],
    readonly problem: string,
  ) {
    super(`${path.join('.')} ${problem}`)
  }
}

/** Wherever it was made: each context of a process has an `Object` of its own. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function scalarOf(value: unknown, path: readonly string[]): Raw {
  if (value === null || typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint')
    return String(value)
  if (types.isDate(value) && !Number.isNaN(value.getTime())) return value.toISOString()
  throw new UnfitQuery(path, 'is neither a text, a number, true, false, null, a list nor an object')
}

function rawOf(value: unknown, path: readonly string[]): Raw {
  if (path.length > mostBrackets) throw new UnfitQuery(path.slice(0, 2), 'goes deeper than any query')
  const below = (part: unknown, name: string): Raw => rawOf(part, [...path, name])
  if (Array.isArray(value)) return value.map((part, index) => below(part, String(index)))
  if (typeof value !== 'object' || value === null || !isPlain(value)) return scalarOf(value, path)
  const raw = Object.create(null) as Record<string, Raw>
  for (const [name, part] of Object.entries(value)) {
    if (part !== undefined) raw[name] = below(part, name)
    // A condition that falls away shows what it was to keep back: `{ owner: req.user?.id }` where no user is logged in.
    else if (path.includes('filters')) throw new UnfitQuery([...path, name], 'is undefined')
  }
  return raw
}

/** A query that a host wrote as an object instead of as a text: numbers, flags and dates are the texts that they would be. */
export function readHostQuery(value: object, path: readonly string[] = []): RawObject {
  const raw = rawOf(value, path)
  if (isObject(raw)) return raw
  throw new UnfitQuery(path, 'is no object')
}

interface Counted {
  readonly limits: TextLimits
  parameters: number
}

function count(raw: Raw, path: readonly string[], counted: Counted): void {
  const { limits } = counted
  if (isList(raw) && raw.length > limits.arrayLimit) throw tooLong(path, limits)
  if (typeof raw === 'object' && raw !== null) {
    for (const [name, part] of Object.entries<Raw>(raw)) count(part, [...path, name], counted)
    return
  }
  counted.parameters += 1
  if (counted.parameters > limits.maxParameters) throw tooMany(limits)
}

/** What a client sent is mostly in it. Express's simple parser leaves names as they were written, brackets and all. */
export function checkHostQuery(raw: RawObject, limits: TextLimits): RawObject {
  checkLength(JSON.stringify(raw), limits)
  count(raw, [], { limits, parameters: 0 })
  for (const name of Object.keys(raw)) checkKey(name, limits)
  return Object.keys(raw).some((name) => name.includes('[')) ? nested(raw, limits) : raw
}
