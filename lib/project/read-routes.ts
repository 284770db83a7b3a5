import { madeByFactory } from './core-factory'
import {
  isList,
  isStaticRecord,
  memberOf,
  spreadsUnknown,
  type StaticRecord,
  type StaticValue,
  unknownValue,
} from './static-value'

/** What a file holds that Strapi runs where a type is read, and the router does not. */
export type Weight =
  | 'nothing'
  /** It may change what is answered. */
  | 'more'
  /** It may refuse who asks, or cannot be told not to. */
  | 'guards'

const heaviest = (weights: readonly Weight[]): Weight =>
  weights.includes('guards') ? 'guards' : weights.includes('more') ? 'more' : 'nothing'

const reads = ['find', 'findOne']

const isEmpty = (value: StaticValue): boolean =>
  value === undefined ||
  value === null ||
  (isList(value) && value.length === 0) ||
  (isStaticRecord(value) && value.size === 0)

/** The `config` of one route. */
function weighConfig(config: StaticValue): Weight {
  if (isEmpty(config)) return 'nothing'
  if (!isStaticRecord(config) || spreadsUnknown(config)) return 'guards'
  return isEmpty(memberOf(config, 'policies')) ? 'more' : 'guards'
}

function weighConfigs(configs: StaticValue): Weight {
  if (isEmpty(configs)) return 'nothing'
  if (!isStaticRecord(configs)) return 'guards'
  return heaviest(reads.map((action) => weighConfig(memberOf(configs, action))))
}

const knownNames = (value: StaticValue): readonly string[] | null =>
  isList(value) && value.every((name) => typeof name === 'string') ? value : null

/** Where Strapi leaves out a route that reads, it answers no role. */
function weighChoice(only: StaticValue, except: StaticValue, isSingle: boolean): Weight {
  const needed = isSingle ? ['find'] : reads
  const kept = only === undefined ? needed : knownNames(only)
  const left = except === undefined ? [] : knownNames(except)
  if (kept === null || left === null) return 'guards'
  return needed.every((name) => kept.includes(name) && !left.includes(name)) ? 'nothing' : 'guards'
}

function weighRouter(besides: StaticValue, isSingle: boolean): Weight {
  if (isEmpty(besides)) return 'nothing'
  if (!isStaticRecord(besides) || spreadsUnknown(besides)) return 'guards'
  return heaviest([
    weighConfigs(besides.get('config')),
    weighChoice(besides.get('only'), besides.get('except'), isSingle),
    besides.has('prefix') || besides.has('type') ? 'more' : 'nothing',
  ])
}

/** Whose paths a route of the project's own may stand before. */
export interface RoutedType {
  readonly route: string
  readonly isSingle: boolean
}

/** A name in any case, or a part of a pattern: koa's router takes `:any` and `(a|b)s` for what stands there. */
const mayBe = (part: string, name: string | null): boolean =>
  /[:()*+?{]/.test(part) || (name !== null && part.toLowerCase() === name.toLowerCase())

/** Whether a route answers where the type's own entries are read: `/notes` and `/notes/:id`. */
function isOfReads(path: string, name: string): boolean {
  const [first, second, ...others] = path.split('/').filter((part) => part !== '')
  if (first === undefined || !mayBe(first, name)) return false
  return second === undefined || (mayBe(second, null) && others.length === 0)
}

function weighOwnRoute(route: StaticValue, prefix: string, { route: name }: RoutedType): Weight {
  if (!isStaticRecord(route) || spreadsUnknown(route)) return 'guards'
  const [method, path] = [route.get('method'), route.get('path')]
  if (typeof method !== 'string' || typeof path !== 'string') return 'guards'
  const isRead = ['GET', 'ALL'].includes(method.toUpperCase())
  return isRead && isOfReads(`${prefix}/${path}`, name)
    ? heaviest(['more', weighConfig(route.get('config'))])
    : 'more'
}

function weighOwnRoutes(value: StaticRecord, type: RoutedType): Weight {
  const routes = value.get('routes')
  const prefix = value.get('prefix') ?? ''
  if (value.size === 0) return 'nothing'
  if (!isList(routes) || typeof prefix !== 'string' || spreadsUnknown(value)) return 'guards'
  return heaviest(routes.map((route) => weighOwnRoute(route, prefix, type)))
}

/** A file of routes whose value is unknown. Without a word for refusing, it can refuse only by what it imports. */
function weighText(text: string): Weight {
  const elsewhere = /(?:from|require\s*\(|import)\s*(['"`])(?!@strapi\/)/
  return /polic|\bonly\b|\bexcept\b/i.test(text) || elsewhere.test(text) ? 'guards' : 'more'
}

/** What a file of routes says about reading a type. */
export function readRoutes(value: StaticValue, text: string, type: RoutedType): Weight {
  if (value === undefined) return 'nothing'
  if (value === unknownValue) return weighText(text)
  const made = madeByFactory(value)
  if (made?.factory === 'createCoreRouter') return weighRouter(made.besides, type.isSingle)
  return isStaticRecord(value) && made === null ? weighOwnRoutes(value, type) : weighText(text)
}
