import { dialectIn } from '../../lib/database'
import type { Extension } from '../../lib/http'
import { faultsOfValues } from '../../lib/schema'
import { makeMatcher } from './make-matcher'
import { missingIndexes } from './missing-indexes'
import { planSearchMeta } from './plan-search-meta'
import { searchTypes } from './search-types'
import { attributesOf, faultsOfSearch, type SearchedTypes, type SearchSettings } from './searched-types'
import { languagesCheck, type SearchLanguages } from './languages'

export type { SearchLanguages } from './languages'
export type { SearchedAttributes, SearchedTypes } from './searched-types'

/** Options of `search`. */
export interface SearchOptions {
  /**
   * The text search configurations of PostgreSQL, by locale. With them, a word also finds its other forms, and entries
   * need not contain stop words. Other databases ignore the option.
   * @default {}
   * @example { en: 'english', de: 'german' }
   */
  readonly languages?: SearchLanguages
}

/** Makes `_q` a ranked full-text search in these types: `search({ article: { title: 3, body: 1 } })`. */
export function search(types: SearchedTypes, options: SearchOptions = {}): Extension {
  const settings: SearchSettings = { types, languages: options.languages ?? {} }
  const parameters = { list: ['highlight', 'ranks'] }
  return {
    name: 'search',
    check: ({ database }, core) => [
      ...faultsOfValues('search', options, { languages: languagesCheck }),
      ...(core === null ? [] : faultsOfSearch({ schema: core.schema, dialect: dialectIn(database) }, types)),
    ],
    textMatching: {
      key: JSON.stringify(settings),
      rankedIn: (model) =>
        Object.keys(attributesOf(types, model) ?? {}).filter((name) => model.columns.has(name)),
      makeMatcher: (database) => makeMatcher(settings, database),
    },
    listReading: { name: 'search', parameters, planBeside: planSearchMeta(settings) },
    routes: [{ path: '/search', handler: searchTypes(types) }],
    missingIndexes: (schema, database) => missingIndexes(settings, schema, database),
  }
}
