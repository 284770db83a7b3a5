// Input: the text behind the `?`, limits. Output: a Query, whose names are not resolved yet. Rejected:
// malformed parameters, queries beyond a limit. No condition is ever dropped.
import { malformed, mispaged, type RequestError, unknownKey } from './errors'
import { type Query, type PublicationFilter, publicationFilters, type PublicationStatus } from './query/query'
import { readFields, type PopulateLimits, readPopulate } from './query/populate'
import { readFilters } from './query/filters'
import { type PageLimits, readPage, cutParameters, readCut, refusePages } from './query/page'
import {
  checkHostQuery,
  type QueryPlace,
  top,
  within,
  isRawObject,
  type Raw,
  type RawObject,
  readText,
  type TextLimits,
  isBlank,
  isRawList,
  readNames,
} from './query/raw'
import { readSort } from './query/sort'
import { mostFallbacks } from './config'
import { nearest } from './schema'

export * from './query/query'
export { wrongCursor, writeCursor } from './query/page'
export { readRule } from './query/filters'
export {
  isRawList,
  isRawObject,
  placeInQuery,
  type Raw,
  type RawObject,
  readBoolean,
  readHostQuery,
  UnfitQuery,
} from './query/raw'
export { includesAll, wholeQuery } from './query/populate'

export interface QueryLimits extends TextLimits, PopulateLimits {
  readonly page: PageLimits
  readonly strictParameters: StrictParameters
  /** Maximum length of a list that is read whole unless `start` and `limit` cut it. */
  readonly whole?: number
}

/** Parameters that would have no effect in this place. */
function refuseMisplaced(raw: RawObject): void {
  for (const name of ['page', 'pageSize']) {
    if (raw[name] !== undefined) {
      throw mispaged([name], `Invalid pagination attributes: ${name} must be in the pagination object`)
    }
  }
  if (raw['lookup'] !== undefined) throw malformed(['lookup'], "Invalid params: 'lookup'")
}

function readPlace(raw: RawObject, limits: QueryLimits): Query['page'] {
  if (limits.whole !== undefined) {
    if (limits.strictParameters !== false) refusePages(raw)
    return readCut(raw, limits.whole)
  }
  return readPage(raw['pagination'], limits.page, limits.habits, ['pagination'])
}

/** Defaults below the query of the request, and where they come from. */
export interface BaseQuery {
  readonly path: readonly string[]
  readonly raw: RawObject
}

interface Layer {
  readonly raw: RawObject
  readonly placeOf: (name: string) => QueryPlace
}

/** Parameters of the request replace those below, even if empty. */
function partOf(
  layers: readonly [Layer, ...Layer[]],
  name: string,
): readonly [raw: Raw | undefined, place: QueryPlace] {
  const { raw, placeOf } = layers.find((layer) => layer.raw[name] !== undefined) ?? layers[0]
  return [raw[name], placeOf(name)]
}

/** All filters apply: without one, the response would show more. */
function allFilters(layers: readonly Layer[]): Query['filters'] {
  const all = layers.flatMap(({ raw, placeOf }) => readFilters(raw['filters'], placeOf('filters')) ?? [])
  const [only = null] = all
  return all.length > 1 ? { op: 'and', of: all.reverse() } : only
}

/** Some clients send the fragment. */
export const readRaw = (text: string | RawObject, limits: QueryLimits): RawObject =>
  typeof text === 'string' ? readText(text.replace(/#.*$/s, ''), limits) : checkHostQuery(text, limits)

export function parseQuery(
  text: string | RawObject,
  limits: QueryLimits,
  bases: readonly BaseQuery[] = [],
  further: readonly string[] = [],
  ofPaths: ReadonlyMap<string, string> = new Map(),
): Query {
  const raw = readRaw(text, limits)
  if (limits.whole === undefined) refuseMisplaced(raw)
  checkParameters(raw, limits.strictParameters, limits.whole === undefined ? further : cutParameters, ofPaths)
  const layers = [
    { raw, placeOf: top },
    ...bases.map(({ raw, path }) => ({ raw, placeOf: (name: string) => within({ path, depth: 0 }, name) })),
  ] as const
  const [fields, { path: fieldsPath }] = partOf(layers, 'fields')
  const [populate, populatePlace] = partOf(layers, 'populate')
  const [sort, sortPlace] = partOf(layers, 'sort')
  return {
    fields: readFields(fields, fieldsPath),
    populate: readPopulate(populate, limits, populatePlace),
    filters: allFilters(layers),
    filtersLocale: layers.some(
      ({ raw: { filters } }) => isRawObject(filters) && filters['locale'] !== undefined,
    ),
    sort: readSort(sort, limits, sortPlace),
    page: readPlace(raw, limits),
    status: readStatus(raw['status']),
    locale: readLocale(raw['locale']),
    fallback: readFallback(raw['fallback']),
    publicationFilter: readPublicationFilter(raw['publicationFilter'], raw['hasPublishedVersion']),
    search: readSearch(raw['_q']),
  }
}

/** `'near'`: names similar to a parameter are rejected; true: all unknown names. */
type StrictParameters = 'near' | boolean

const words = [
  ...['fields', 'filters', 'sort', 'pagination', 'populate'],
  ...['locale', 'fallback', 'status', 'publicationFilter', 'hasPublishedVersion'],
]
const parameters = [...words, '_q']

/** Names in older versions of Strapi and in other APIs, in lower case without `_` and `-`. */
const otherNames: Readonly<Record<string, string>> = {
  q: '_q',
  search: '_q',
  limit: 'pagination[limit]',
  start: 'pagination[start]',
  offset: 'pagination[start]',
  pagesize: 'pagination[pageSize]',
  perpage: 'pagination[pageSize]',
  withcount: 'pagination[withCount]',
  publicationstate: 'status',
  where: 'filters',
  order: 'sort',
  orderby: 'sort',
  sortby: 'sort',
  include: 'populate',
  expand: 'populate',
  select: 'fields',
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, '')

/** Longer names would cost more than the query. */
const longest = 30

function meantBy(name: string, further: readonly string[]): string | undefined {
  const word = name.length > longest ? '' : plain(name)
  const known = Object.hasOwn(otherNames, word) ? otherNames[word] : undefined
  const same = known ?? [...parameters, ...further].find((one) => plain(one) === word)
  if (same !== undefined) return same
  const [head = '', rest] = name.split('.')
  if (rest !== undefined && words.includes(head)) return `${head}[${rest}]`
  // Typing mistakes are rare in the first letter, and short words are similar.
  const near = nearest(word, [...words, ...further])
  if (near?.[0] === name[0]?.toLowerCase()) return near
  return word.length < 5 ? undefined : further.find((one) => one.startsWith(word))
}

/** Other unknown names are parameters of the host. `ofPaths`: parameters of paths below the list. */
function checkParameters(
  raw: RawObject,
  strict: StrictParameters,
  further: readonly string[],
  ofPaths: ReadonlyMap<string, string>,
): void {
  if (strict === false) return
  const known = [...parameters, ...further]
  for (const name of Object.keys(raw)) {
    if (known.includes(name)) continue
    const path = ofPaths.get(name)
    if (path !== undefined) throw unknownKey([name], name, `it requires /${path} at the end of the path`)
    const meant = meantBy(name, further)
    if (meant !== undefined) throw unknownKey([name], name, `did you mean ${meant}?`)
    if (strict === true) throw unknownKey([name], name, `the parameters are ${known.join(', ')}`)
  }
}

/** PostgreSQL fails at it. */
const nul = '\u0000'

/** Strapi reads any other word as draft. Typing mistakes must not change what is shown. */
function readStatus(raw: Raw | undefined): PublicationStatus {
  if (isBlank(raw)) return 'published'
  if (raw === 'published' || raw === 'draft') return raw
  throw malformed(['status'], 'Invalid status parameter. Expected "draft" or "published"')
}

const isCode = (locale: Raw): locale is string => typeof locale === 'string' && !locale.includes(nul)

function readLocale(raw: Raw | undefined): Query['locale'] {
  if (isBlank(raw)) return 'default'
  if (raw === '*') return raw
  const locales = isRawList(raw) ? raw : [raw]
  if (locales.length > 0 && locales.every(isCode)) return locales
  throw malformed(['locale'], 'Invalid locale parameter. Expected a locale code or a list of locale codes')
}

function readFallback(raw: Raw | undefined): Query['fallback'] {
  if (isBlank(raw)) return 'default'
  if (raw === 'false') return 'none'
  const codes = typeof raw === 'string' ? readNames(raw, ['fallback']) : raw
  if (!isRawList(codes) || codes.length === 0 || !codes.every(isCode) || codes.includes(''))
    throw malformed(['fallback'], 'Invalid fallback parameter. Expected locale codes or "false"')
  if (codes.length <= mostFallbacks) return codes
  throw malformed(
    ['fallback'],
    `Invalid fallback parameter: at most ${String(mostFallbacks)} locales are allowed`,
  )
}

export const wrongPublicationFilter = (known: readonly PublicationFilter[]): RequestError =>
  malformed(
    ['publicationFilter'],
    `Invalid value for 'publicationFilter'. Expected one of: ${known.join(', ')}.`,
  )

/** `hasPublishedVersion` is the older form of two filters. */
function readPublicationFilter(raw: Raw | undefined, older: Raw | undefined): PublicationFilter | null {
  if (raw !== undefined && raw !== null) {
    const filter = publicationFilters.find((name) => name === raw)
    if (filter === undefined) throw wrongPublicationFilter(publicationFilters)
    return filter
  }
  if (older === undefined || older === null) return null
  if (older === 'true') return 'has-published-version-document'
  if (older === 'false') return 'never-published-document'
  throw malformed(
    ['hasPublishedVersion'],
    'Invalid hasPublishedVersion parameter. Expected "true" or "false"',
  )
}

function readSearch(raw: Raw | undefined): string | null {
  if (isBlank(raw)) return null
  if (typeof raw === 'string' && !raw.includes(nul)) return raw
  throw malformed(['_q'], 'Invalid _q parameter. Expected a text')
}
