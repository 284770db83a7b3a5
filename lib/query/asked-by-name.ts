import { malformed, unknownKey } from '../errors'
import { compareOperators, isCompareOperator } from './asked'
import { isRawList, isRawObject, type Raw, type RawObject } from './raw'

/** A query that is asked by its name: what it asks, and where in it the values go that a client may say. */
export interface QueryByName {
  readonly raw: RawObject
  readonly parameters: ReadonlyMap<string, readonly string[]>
}

/** By which a query is named. */
export const queryParameter = 'query'

/** What may be said beside the name of any query. */
export const beside = ['pagination', 'locale', 'fallback', 'status']

/** What stands there; undefined where nothing does. */
export function askedAt(raw: Raw | undefined, [name, ...rest]: readonly string[]): Raw | undefined {
  if (name === undefined) return raw
  if (isRawList(raw)) return askedAt(raw[Number(name)], rest)
  return isRawObject(raw) ? askedAt(raw[name], rest) : undefined
}

/** The same with a value there. What stands in the way is replaced, which the check at start has seen not to be so. */
export function withValue(raw: Raw | undefined, [name, ...rest]: readonly string[], value: Raw): Raw {
  if (name === undefined) return value
  if (isRawList(raw))
    return raw.map((part, at) => (String(at) === name ? withValue(part, rest, value) : part))
  const object = Object.assign(Object.create(null) as Record<string, Raw>, isRawObject(raw) ? raw : {})
  object[name] = withValue(object[name], rest, value)
  return object
}

const takesList = (path: readonly string[]): boolean => {
  const operator = path.at(-1) ?? ''
  return isCompareOperator(operator) && compareOperators[operator] !== 'one'
}

const isText = (value: Raw): value is string => typeof value === 'string'

/** Undefined where the query's own value stays. */
function saidOf(query: QueryByName, name: string, said: Raw | undefined): Raw | undefined {
  const path = query.parameters.get(name) ?? []
  if (said === undefined) {
    if (askedAt(query.raw, path) === undefined)
      throw malformed([name], `Missing parameter ${name}: the query cannot be asked without it`)
    return undefined
  }
  if (isText(said) || (takesList(path) && isRawList(said) && said.every(isText))) return said
  throw malformed(
    [name],
    `Invalid parameter ${name}: it is a text${takesList(path) ? ' or a list of texts' : ''}`,
  )
}

/** What is asked where a client names the query: nothing falls away, and nothing is said that it did not declare. */
export function askedByName(query: QueryByName, raw: RawObject): RawObject {
  const { parameters } = query
  for (const name of Object.keys(raw)) {
    if (name === queryParameter || beside.includes(name) || parameters.has(name)) continue
    const known = [...parameters.keys(), ...beside].join(', ')
    throw unknownKey([name], name, `beside the name of a query stand ${known}`)
  }
  let asked: RawObject = query.raw
  for (const [name, path] of parameters) {
    const value = saidOf(query, name, raw[name])
    if (value !== undefined) asked = withValue(asked, path, value) as RawObject
  }
  const said = beside.flatMap((name): [string, Raw][] => {
    const value = raw[name]
    return value === undefined ? [] : [[name, value]]
  })
  return Object.assign(Object.create(null) as Record<string, Raw>, asked, Object.fromEntries(said))
}
