import { madeByFactory } from './made-by-factory'
import { readCoreRouter } from './read-core-router'
import { readListedRoutes, readOwnRoutes } from './read-own-routes'
import { readUnreadable } from './read-unreadable'
import { byRead, noRoutes, type RoutesPlace, type RoutesReading } from './routes-reading'
import { isList, isStaticRecord, type StaticValue, unknownValue } from './static-value'

/** What a file of routes says about reading a type. */
export function readRoutes(router: StaticValue, place: RoutesPlace): RoutesReading {
  const made = madeByFactory(router)
  if (made?.factory === 'createCoreRouter') return readCoreRouter(made, place)
  if (made === null && isList(router)) return readListedRoutes(router, place)
  if (made === null && isStaticRecord(router)) return readOwnRoutes(router, place)
  if (router === undefined) return noRoutes
  if (router === unknownValue || place.isOwn) return readUnreadable(place)
  return byRead(place.type, () => ({ weight: 'nothing', answerer: 'nobody' }))
}
