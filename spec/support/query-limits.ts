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

/** Limits of filters and sorts out of the way. */
export const anyConditions = { maxLinks: Infinity, maxConditions: Infinity } as const
