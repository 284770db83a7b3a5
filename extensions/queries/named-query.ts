import type { NamedQuery } from '../../lib/config'
import { malformed, unknownKey } from '../../lib/errors'
import { isCompareOperator, operators } from '../../lib/operators'
import { isRawList, isRawObject, placeInQuery, type Raw, type RawObject } from '../../lib/query'
import { readWritten } from './read-written'

/** A named query, with the paths in it that take the values of each parameter. */
export interface ReadNamedQuery {
  readonly raw: RawObject
  readonly parameters: ReadonlyMap<string, readonly string[]>
}

export const queryParameter = 'query'

export const ownParameters = ['pagination', 'locale', 'fallback', 'status']

export const readNamedQuery = (
  where: readonly string[],
  { query, parameters = {} }: NamedQuery,
): ReadNamedQuery => ({
  raw: readWritten(query, where),
  parameters: new Map(Object.entries(parameters).map(([name, place]) => [name, placeInQuery(place)])),
})

/** The part of a query at a place; undefined if it has none. */
export function partAt(raw: Raw | undefined, [name, ...rest]: readonly string[]): Raw | undefined {
  if (name === undefined) return raw
  if (isRawList(raw)) return partAt(raw[Number(name)], rest)
  return isRawObject(raw) ? partAt(raw[name], rest) : undefined
}

/** The same query with a value at a place. The check at start ensures that the place is empty. */
export function withPart(raw: Raw | undefined, [name, ...rest]: readonly string[], value: Raw): Raw {
  if (name === undefined) return value
  if (isRawList(raw)) return raw.map((part, at) => (String(at) === name ? withPart(part, rest, value) : part))
  const object = Object.assign(Object.create(null) as Record<string, Raw>, isRawObject(raw) ? raw : {})
  object[name] = withPart(object[name], rest, value)
  return object
}

const takesList = (path: readonly string[]): boolean => {
  const operator = path.at(-1) ?? ''
  return isCompareOperator(operator) && operators[operator].takes !== 'one'
}

const isString = (value: Raw): value is string => typeof value === 'string'

/** Undefined if the query's own value stays. */
function valueOf(query: ReadNamedQuery, name: string, sent: Raw | undefined): Raw | undefined {
  const path = query.parameters.get(name) ?? []
  if (sent === undefined) {
    if (partAt(query.raw, path) === undefined)
      throw malformed([name], `Missing parameter ${name}: the query requires this parameter`)
    return undefined
  }
  if (isString(sent) || (takesList(path) && isRawList(sent) && sent.every(isString))) return sent
  throw malformed(
    [name],
    `Invalid parameter ${name}: expected a string${takesList(path) ? ' or a list of strings' : ''}`,
  )
}

/** Inserts the values of a client into the named query. Rejects undeclared parameters. */
export function fillNamedQuery(query: ReadNamedQuery, sent: RawObject): RawObject {
  const { parameters } = query
  for (const name of Object.keys(sent)) {
    if (name === queryParameter || ownParameters.includes(name) || parameters.has(name)) continue
    const known = [...parameters.keys(), ...ownParameters].join(', ')
    throw unknownKey([name], name, `the parameters of the query are ${known}`)
  }
  let filled: RawObject = query.raw
  for (const [name, path] of parameters) {
    const value = valueOf(query, name, sent[name])
    if (value !== undefined) filled = withPart(filled, path, value) as RawObject
  }
  const own = ownParameters.flatMap((name): [string, Raw][] => {
    const value = sent[name]
    return value === undefined ? [] : [[name, value]]
  })
  return Object.assign(Object.create(null) as Record<string, Raw>, filled, Object.fromEntries(own))
}
