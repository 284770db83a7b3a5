import { custom, limit } from './option'

/** A key may take a table of its own, and MySQL joins no more than 61. */
const mostSortKeys = 50

export const queryOptions = {
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
   * Relations that filters and sorts follow, at all levels together.
   * @default 8
   */
  maxLinks: limit(8, 0, {
    isPerRole: true,
    meaning: '[relations](security.md#links-and-conditions) that filters and sorts follow, at all levels',
  }),
  /**
   * Conditions in the filters of a query, at all levels together. Searches of long texts count several times.
   * @default 100
   */
  maxConditions: limit(100, 0, {
    isPerRole: true,
    meaning: '[conditions](security.md#links-and-conditions) in the filters of a query, at all levels',
  }),
  /**
   * How many levels `populate` may lead away from what is asked for.
   * @default Infinity
   */
  maxDepth: limit(Infinity, 0, { isPerRole: true, meaning: 'how many levels `populate` leads away' }),
} as const
