import {
  isList,
  isStaticRecord,
  memberOf,
  spreadsUnknown,
  type StaticValue,
  unknownValue,
} from './static-value'
import { heaviest, type Weight } from './weight'

/** What a role needs to be let through a route. */
export interface RouteScope {
  /** What Strapi asks for where the route does not say; null where it asks for somebody who is signed in. */
  readonly usual: string | null
  /** What is asked for here as well. */
  readonly known: string | null
}

/** What Strapi asks for by the handler, and the API whose folder the route stands in. */
export function usualScope(api: string, handler: StaticValue): string | null {
  if (typeof handler !== 'string') return null
  const prefix = `api::${api}.`
  return handler.startsWith(prefix) ? handler : `${prefix}${handler}`
}

export const isEmpty = (value: StaticValue): boolean =>
  value === undefined ||
  value === null ||
  (isList(value) && value.length === 0) ||
  (isStaticRecord(value) && value.size === 0)

function weighScope(scope: StaticValue, { usual, known }: RouteScope): Weight {
  const said = isList(scope) ? scope : scope === undefined ? [] : [unknownValue]
  // Strapi fills an empty list with what is usual.
  const asked = said.length === 0 ? [usual] : said
  return known !== null && asked.every((one) => one === known) ? 'nothing' : 'guards'
}

function weighAuth(auth: StaticValue, scope: RouteScope): Weight {
  if (auth === false) return 'nothing'
  if (auth === undefined) return weighScope(undefined, scope)
  // By which of its strategies Strapi is to find out who asks; whatever else may stand there it passes over.
  const isUsual = isStaticRecord(auth) && !spreadsUnknown(auth) && !auth.has('strategies')
  return isUsual ? weighScope(auth.get('scope'), scope) : 'guards'
}

/** The `config` of one route. */
export function weighConfig(config: StaticValue, scope: RouteScope): Weight {
  if (isEmpty(config)) return weighAuth(undefined, scope)
  if (!isStaticRecord(config) || spreadsUnknown(config)) return 'guards'
  if (!isEmpty(memberOf(config, 'policies'))) return 'guards'
  return heaviest(['more', weighAuth(config.get('auth'), scope)])
}
