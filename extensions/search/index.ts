import { dialectIn } from '../../lib/database'
import type { Extension } from '../../lib/http'
import { makeMatcher } from './make-matcher'
import { missingIndexes } from './missing-indexes'
import { planSearchMeta } from './plan-search-meta'
import { searchTypes } from './search-types'
import { attributesOf, faultsOfSearch, searchedColumns, type SearchedTypes } from './searched-types'

export type { SearchedAttributes, SearchedTypes } from './searched-types'

/** Makes `_q` a ranked full-text search in these types: `search({ article: { title: 3, body: 1 } })`. */
export const search = (types: SearchedTypes): Extension => ({
  name: 'search',
  check: ({ database }, core) =>
    core === null ? [] : faultsOfSearch(core.schema, types, dialectIn(database)),
  textMatching: {
    key: JSON.stringify(types),
    rankedIn: (model) =>
      searchedColumns(model, attributesOf(types, model) ?? {}).map(({ column }) => column.name),
    makeMatcher: (database) => makeMatcher(types, database),
  },
  listReading: { name: 'search', planBeside: planSearchMeta(types) },
  routes: [{ path: '/search', handler: searchTypes(types) }],
  missingIndexes: (schema, database) => missingIndexes(types, schema, database),
  start: ({ settings: { schema }, database }) => ({
    checkDatabase: async () => {
      const missing = await missingIndexes(types, schema, database)
      return missing.map(({ model }) => ({
        where: model.table,
        problem: 'the search index is missing or incomplete',
        remedy: 'run content-router search-index with the config of the router',
      }))
    },
  }),
})
