import type { ReadAction } from '../config'
import type { MadeByFactory } from './made-by-factory'
import { readUnreadable } from './read-unreadable'
import {
  byRead,
  lockedRoutes,
  noRoutes,
  type ActionReading,
  type RoutesPlace,
  type RoutesReading,
} from './routes-reading'
import {
  isList,
  isStaticRecord,
  memberOf,
  spreadsUnknown,
  type StaticRecord,
  type StaticValue,
} from './static-value'
import { heaviest } from './weight'
import { isEmpty, usualScope, weighConfig } from './weigh-config'

const knownNames = (value: StaticValue): readonly string[] | null =>
  isList(value) && value.every((name) => typeof name === 'string') ? value : null

/** Null where it cannot be told. */
function isChosen(options: StaticRecord, action: ReadAction): boolean | null {
  const [only, except]: readonly StaticValue[] = ['only', 'except'].map(
    (name) => options.get(name) ?? undefined,
  )
  const kept = only === undefined ? [action] : knownNames(only)
  const left = except === undefined ? [] : knownNames(except)
  return kept === null || left === null ? null : kept.includes(action) && !left.includes(action)
}

/** Unknown where none can be told. */
const configAt = (options: StaticRecord, action: ReadAction): StaticValue => {
  const configs = options.get('config')
  return isEmpty(configs) ? undefined : memberOf(configs, action)
}

/** What `createCoreRouter` makes, for the type that it names. */
export function readCoreRouter({ uid, besides }: MadeByFactory, place: RoutesPlace): RoutesReading {
  const { type, api, isOwn } = place
  if (typeof uid !== 'string') return isOwn ? lockedRoutes : readUnreadable(place)
  if (uid !== type.uid) return noRoutes
  const options: StaticValue = isEmpty(besides) ? new Map() : besides
  if (!isStaticRecord(options) || spreadsUnknown(options)) return lockedRoutes
  // Behind a prefix they stand at other paths than the router's.
  const isHere = ['', null, undefined].some((none) => none === options.get('prefix'))
  const plain = isHere && !options.has('type') ? 'nothing' : 'more'
  return byRead(type, (action): ActionReading => {
    const isKept = isChosen(options, action)
    if (isKept === null) return lockedRoutes[action]
    if (!isKept) return noRoutes[action]
    const known = `${uid}.${action}`
    const weight = weighConfig(configAt(options, action), { usual: usualScope(api, known), known })
    return { weight: heaviest([plain, weight]), answerer: isHere ? 'core' : 'nobody' }
  })
}
