import { custom, isFunction, limit } from './option'
import type { QueryFunction } from './type-defaults'

/** A key may take a table of its own, and MySQL joins no more than 61. */
const mostSortKeys = 50

export const queryOptions = {
  /** What is asked, where that is not what stands in the URL: `(req) => req.query`. */
  from: custom<QueryFunction | undefined>(undefined, isFunction, 'is no function', {
    remedy: 'use (req) => req.query',
    values: 'the URL; `(req) => req.query`',
    meaning: 'what is asked, where [your own middleware](#queries-of-your-own) has a say in it',
  }),
  /**
   * Elements of one list.
   * @default 100
   */
  arrayLimit: limit(100, 1, {
    isPerRole: true,
    meaning: 'elements of one list; a longer one is a 400 that says so, never an object and never silence',
  }),
  /**
   * Parameters of a query.
   * @default 1_000
   */
  maxParameters: limit(1000, 1, { isPerRole: true, meaning: 'parameters of a query' }),
  /**
   * Characters of a query.
   * @default 50_000
   */
  maxLength: limit(50_000, 1, { isPerRole: true, meaning: 'characters of a query' }),
  /**
   * Things that a query asks for: attributes, conditions, sorts and populated names.
   * @default 2_000
   */
  maxNodes: limit(2000, 1, { isPerRole: true, meaning: 'things that a query asks for' }),
  /**
   * Values of one `$in`.
   * @default 1_000
   */
  maxInValues: limit(1000, 1, { isPerRole: true, meaning: 'values of one `$in`' }),
  /**
   * Entries that one answer shows, at all levels together.
   * @default 20_000
   */
  maxEntries: limit(20_000, 1, { isPerRole: true, meaning: 'entries that an answer shows, at all levels' }),
  /**
   * Different keys that one list is sorted by, at most 50.
   * @default 10
   */
  // MySQL sorts by so many texts in the memory that it has for it unless it is told otherwise.
  maxSortKeys: custom(
    10,
    (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= mostSortKeys,
    `is not a whole number from 0 to ${String(mostSortKeys)}`,
    { isPerRole: true, values: '10', meaning: 'different keys that one list is sorted by, at most 50' },
  ),
  /**
   * What filters and sorts may cost, as it is foretold: about milliseconds of CPU.
   * @default 1_000
   */
  maxCost: limit(1000, 1, {
    isPerRole: true,
    meaning:
      'what filters and sorts may cost, [as it is foretold](security.md#what-a-query-may-cost): about milliseconds of CPU',
  }),
  /**
   * How many links `populate` and sorts may lead away from what is asked for.
   * @default Infinity
   */
  maxDepth: limit(Infinity, 0, { isPerRole: true, meaning: 'how many links `populate` and sorts lead away' }),
} as const
