// Comes in: the text behind the `?`, and limits. Goes out: a Query, in which every parameter has its form and no name
// has been looked up yet. Refused: whatever is malformed or over a limit, for nothing that was asked may be dropped.
import { malformed, mispaged } from './errors'
import type { Query } from './query/asked'
import { checkParameters, type StrictParameters } from './query/check-parameters'
import { readFields } from './query/fields'
import { readFilters } from './query/filters'
import { type PageLimits, readPage } from './query/page'
import { type PopulateLimits, readPopulate } from './query/populate'
import { readLocale, readPublicationFilter, readSearch, readStatus } from './query/publication'
import { top } from './query/query-place'
import { isObject, type RawObject, readText, type TextLimits } from './query/raw'
import { readSort } from './query/sort'

export type * from './query/asked'
export { wholeAsk } from './query/whole-ask'

export interface QueryLimits extends TextLimits, PopulateLimits {
  readonly page: PageLimits
  readonly strictParameters: StrictParameters
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

export function parseQuery(text: string, limits: QueryLimits): Query {
  const raw = readText(withoutFragment(text), limits)
  refuseMisplaced(raw)
  checkParameters(raw, limits.strictParameters)
  return {
    fields: readFields(raw['fields'], ['fields']),
    populate: readPopulate(raw['populate'], limits, top('populate')),
    filters: readFilters(raw['filters'], top('filters')),
    filtersLocale: isObject(raw['filters']) && raw['filters']['locale'] !== undefined,
    sort: readSort(raw['sort'], limits, top('sort')),
    page: readPage(raw['pagination'], limits.page, limits.habits, ['pagination']),
    status: readStatus(raw['status']),
    locale: readLocale(raw['locale']),
    publicationFilter: readPublicationFilter(raw['publicationFilter'], raw['hasPublishedVersion']),
    search: readSearch(raw['_q']),
  }
}
