import type { QueryLimits } from '../../lib/query'

/** What a router takes by itself. */
export const queryLimits: QueryLimits = {
  arrayLimit: 100,
  maxParameters: 1000,
  maxLength: 50_000,
  maxSortKeys: 10,
  habits: 'strict',
  nestedPage: null,
  strictParameters: 'near',
  page: { defaultPageSize: 25, maxPageSize: 100, withCount: true },
}
