import { isCorePath, isPartial, readsAt } from './reads-at'
import { readUnreadable } from './read-unreadable'
import {
  byRead,
  lockedRoutes,
  noRoutes,
  type RoutesPlace,
  type RoutesReading,
  togetherRouted,
} from './routes-reading'
import { isList, isStaticRecord, spreadsUnknown, type StaticRecord, type StaticValue } from './static-value'
import { heaviest } from './weight'
import { isEmpty, usualScope, weighConfig } from './weigh-config'

const untold = (place: RoutesPlace): RoutesReading => (place.isOwn ? lockedRoutes : readUnreadable(place))

/** A route with a prefix of its own stands outside of that of the others. */
function prefixesOf(config: StaticValue, prefix: string): readonly string[] {
  if (isEmpty(config)) return [prefix]
  if (!isStaticRecord(config) || spreadsUnknown(config)) return [prefix, '']
  return [config.has('prefix') ? '' : prefix]
}

const isHandledBy = (handler: StaticValue, api: string, name: string): boolean =>
  typeof handler === 'string' && [handler.trim(), `api::${api}.${handler.trim()}`].includes(name)

function readOne(route: StaticValue, prefix: string, place: RoutesPlace): RoutesReading {
  if (!isStaticRecord(route) || spreadsUnknown(route)) return untold(place)
  const [method, path, handler, config] = ['method', 'path', 'handler', 'config'].map((name) =>
    route.get(name),
  )
  if (typeof method !== 'string' || typeof path !== 'string') return untold(place)
  const isRead = ['GET', 'ALL'].includes(method.toUpperCase())
  const paths = isRead ? prefixesOf(config, prefix).map((before) => `${before}/${path.trim()}`) : []
  const reads = paths.flatMap((one) => readsAt(one, place))
  const { type, api, isOwn } = place
  return byRead(type, (action) => {
    if (!reads.includes(action)) return { weight: isOwn ? 'more' : 'nothing', answerer: 'nobody' }
    const core = `${type.uid}.${action}`
    const isCore = isHandledBy(handler, api, core)
    const usual = usualScope(api, handler)
    const weight = weighConfig(config, { usual, known: isCore ? core : usual })
    const isWhole = paths.some((one) => isCorePath(one, action, type.route))
    const answerer = isCore && isWhole ? 'core' : paths.some(isPartial) ? 'nobody' : 'other'
    return { weight: heaviest(['more', weight]), answerer }
  })
}

/** `{ prefix, routes: […] }` */
export function readOwnRoutes(router: StaticRecord, place: RoutesPlace): RoutesReading {
  const routes: StaticValue = router.get('routes') ?? undefined
  const prefix: StaticValue = router.get('prefix') ?? ''
  if (spreadsUnknown(router) || typeof prefix !== 'string') return untold(place)
  if (routes === undefined) return noRoutes
  if (!isList(routes)) return untold(place)
  return togetherRouted(routes.map((route) => readOne(route, prefix, place)))
}

/** A mere list of routes is one of the server's, outside of the API's prefix. */
export function readListedRoutes(routes: readonly StaticValue[], place: RoutesPlace): RoutesReading {
  const within = routes.map((route): StaticValue => {
    const path = isStaticRecord(route) ? route.get('path') : undefined
    if (!isStaticRecord(route) || typeof path !== 'string') return route
    return new Map([...route, ['path', path.trim().replace(/^\/*[^/]*/, '')]])
  })
  const { find, findOne } = togetherRouted(within.map((route) => readOne(route, '', place)))
  return { find: { ...find, answerer: 'nobody' }, findOne: { ...findOne, answerer: 'nobody' } }
}
