// Comes in: the text behind the `?`, and limits. Goes out: a Query, in which every parameter has its form and no name
// has been looked up yet. Refused: what is malformed or over a limit, for nothing that was asked may be dropped.
import { malformed, mispaged } from './errors'
import type { Query } from './query/asked'
import { checkParameters, type StrictParameters } from './query/check-parameters'
import { readFields, type PopulateLimits, readPopulate } from './query/populate'
import { readFilters } from './query/filters'
import { type PageLimits, readPage, cutParameters, readCut, refusePages } from './query/page'
import { readFallback, readLocale, readPublicationFilter, readSearch, readStatus } from './query/publication'
import { checkHostQuery } from './query/host-query'
import {
  type QueryPlace,
  top,
  within,
  isRawObject,
  type Raw,
  type RawObject,
  readText,
  type TextLimits,
} from './query/raw'
import { readSort } from './query/sort'

export type * from './query/asked'
export { type Cursor, type HeldKey, wrongCursor, writeCursor } from './query/cursor'
export {
  compareOperators,
  countName,
  includesAll,
  operatorNames,
  isCompareOperator,
  publicationFilters,
} from './query/asked'
export { readRule } from './query/filters'
export { readHostQuery, UnfitQuery } from './query/host-query'
export { wrongPublicationFilter } from './query/publication'
export { isRawList, isRawObject, placeInQuery, type Raw, type RawObject } from './query/raw'
export { wholeAsk } from './query/populate'

export interface QueryLimits extends TextLimits, PopulateLimits {
  readonly page: PageLimits
  readonly strictParameters: StrictParameters
  /** For lists that are read whole unless `start` and `limit` cut them: how long such a list may be. */
  readonly whole?: number
}

/** Browsers keep what is behind a `#` to themselves; where a client sends it all the same, it is no part of the query. */
const withoutFragment = (text: string): string => text.replace(/#.*$/s, '')

/** Parameters that look as if they did something, in a place where they would not. */
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

/** A query that holds where the one of the request says nothing, and where it is written. */
export interface BaseQuery {
  readonly path: readonly string[]
  readonly raw: RawObject
}

/** The query of the request, then those beneath it. */
interface Layer {
  readonly raw: RawObject
  readonly placeOf: (name: string) => QueryPlace
}

const layersOf = (raw: RawObject, bases: readonly BaseQuery[]): readonly [Layer, ...Layer[]] => [
  { raw, placeOf: top },
  ...bases.map(({ raw, path }) => ({ raw, placeOf: (name: string) => within({ path, depth: 0 }, name) })),
]

type LayerPart = readonly [raw: Raw | undefined, place: QueryPlace]

/** A parameter of the request replaces the one beneath it, even if it is empty. */
function partOf(layers: readonly [Layer, ...Layer[]], name: string): LayerPart {
  const { raw, placeOf } = layers.find((layer) => layer.raw[name] !== undefined) ?? layers[0]
  return [raw[name], placeOf(name)]
}

const namesLocale = ({ raw: { filters } }: Layer): boolean =>
  isRawObject(filters) && filters['locale'] !== undefined

/** All of them hold: a condition that fell away would widen the response. */
function allFilters(layers: readonly Layer[]): Query['filters'] {
  const all = layers.flatMap(({ raw, placeOf }) => readFilters(raw['filters'], placeOf('filters')) ?? [])
  const [only = null] = all
  return all.length > 1 ? { op: 'and', of: all.reverse() } : only
}

/** `text`: what stands behind the `?`, or what the host wrote in its place. */
export const readRaw = (text: string | RawObject, limits: QueryLimits): RawObject =>
  typeof text === 'string' ? readText(withoutFragment(text), limits) : checkHostQuery(text, limits)

export function parseQuery(
  text: string | RawObject,
  limits: QueryLimits,
  bases: readonly BaseQuery[] = [],
): Query {
  const raw = readRaw(text, limits)
  if (limits.whole === undefined) refuseMisplaced(raw)
  checkParameters(raw, limits.strictParameters, limits.whole === undefined ? [] : cutParameters)
  const layers = layersOf(raw, bases)
  const [fields, { path: fieldsPath }] = partOf(layers, 'fields')
  const [populate, populatePlace] = partOf(layers, 'populate')
  const [sort, sortPlace] = partOf(layers, 'sort')
  return {
    fields: readFields(fields, fieldsPath),
    populate: readPopulate(populate, limits, populatePlace),
    filters: allFilters(layers),
    filtersLocale: layers.some(namesLocale),
    sort: readSort(sort, limits, sortPlace),
    page: readPlace(raw, limits),
    status: readStatus(raw['status']),
    locale: readLocale(raw['locale']),
    fallback: readFallback(raw['fallback']),
    publicationFilter: readPublicationFilter(raw['publicationFilter'], raw['hasPublishedVersion']),
    search: readSearch(raw['_q']),
  }
}
