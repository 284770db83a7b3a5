// Comes in: the text behind the `?`, and limits. Goes out: a Query, in which every parameter has its form and no name
// has been looked up yet. Refused: what is malformed or over a limit, for nothing that was asked may be dropped.
import { malformed, mispaged } from './errors'
import type { Query } from './query/asked'
import { checkParameters, type StrictParameters } from './query/check-parameters'
import { readFields } from './query/populate'
import { readFilters } from './query/filters'
import { type PageLimits, readPage } from './query/page'
import { cutParameters, readCut, refusePages } from './query/page'
import { type PopulateLimits, readPopulate } from './query/populate'
import { readFallback, readLocale, readPublicationFilter, readSearch, readStatus } from './query/publication'
import { checkHostQuery } from './query/host-query'
import { type QueryPlace, top, within } from './query/raw'
import { isRawObject, type Raw, type RawObject, readText, type TextLimits } from './query/raw'
import { readSort } from './query/sort'

export type * from './query/asked'
export {
  askedByName,
  beside,
  type QueryByName,
  queryParameter,
  askedAt,
  withValue,
} from './query/asked-by-name'
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
export { isRawObject, placeInQuery, type Raw, type RawObject } from './query/raw'
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

/** What a query of one type asks where the request does not say, and where that is written. */
export interface DefaultQuery {
  readonly path: readonly string[]
  readonly raw: RawObject
}

type AskedPart = readonly [raw: Raw | undefined, place: QueryPlace]

/** What a request says of a parameter replaces the default, even where it asks for nothing. */
function askedOf(raw: RawObject, byDefault: DefaultQuery | undefined, name: string): AskedPart {
  if (raw[name] !== undefined || byDefault === undefined) return [raw[name], top(name)]
  return [byDefault.raw[name], within({ path: byDefault.path, depth: 0 }, name)]
}

const namesLocale = (filters: Raw | undefined): boolean =>
  isRawObject(filters) && filters['locale'] !== undefined

/** Both hold: a condition that fell away would widen the answer. */
function bothFilters(raw: RawObject, byDefault: DefaultQuery | undefined): Query['filters'] {
  const own = readFilters(raw['filters'], top('filters'))
  if (byDefault === undefined) return own
  const place = within({ path: byDefault.path, depth: 0 }, 'filters')
  const given = readFilters(byDefault.raw['filters'], place)
  if (own === null || given === null) return own ?? given
  return { op: 'and', of: [given, own] }
}

/** `text`: what stands behind the `?`, or what the host wrote in its place. */
export const readRaw = (text: string | RawObject, limits: QueryLimits): RawObject =>
  typeof text === 'string' ? readText(withoutFragment(text), limits) : checkHostQuery(text, limits)

export function parseQuery(text: string | RawObject, limits: QueryLimits, byDefault?: DefaultQuery): Query {
  const raw = readRaw(text, limits)
  if (limits.whole === undefined) refuseMisplaced(raw)
  checkParameters(raw, limits.strictParameters, limits.whole === undefined ? [] : cutParameters)
  const [fields, { path: fieldsPath }] = askedOf(raw, byDefault, 'fields')
  const [populate, populatePlace] = askedOf(raw, byDefault, 'populate')
  const [sort, sortPlace] = askedOf(raw, byDefault, 'sort')
  return {
    fields: readFields(fields, fieldsPath),
    populate: readPopulate(populate, limits, populatePlace),
    filters: bothFilters(raw, byDefault),
    filtersLocale: namesLocale(raw['filters']) || namesLocale(byDefault?.raw['filters']),
    sort: readSort(sort, limits, sortPlace),
    page: readPlace(raw, limits),
    status: readStatus(raw['status']),
    locale: readLocale(raw['locale']),
    fallback: readFallback(raw['fallback']),
    publicationFilter: readPublicationFilter(raw['publicationFilter'], raw['hasPublishedVersion']),
    search: readSearch(raw['_q']),
  }
}
