import { custom, limit, flag, type Option } from './option'

const isAge = (value: unknown): boolean => typeof value === 'number' && value > 0 && value !== Infinity
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0

const mebibyte = 1024 * 1024

const bounds = (byDefault: number): Option<number> =>
  custom(byDefault, isCount, 'is not a whole number from 1 on')

export const cacheOptions = {
  /**
   * How many answers are kept.
   * @default 10_000
   */
  maxEntries: bounds(10_000),
  /**
   * Bytes of the answers that are kept, with what is needed to find them. The default is 64 MB.
   * @default 67_108_864
   */
  maxBytes: bounds(64 * mebibyte),
  /**
   * `'strict'`: every request asks whether anything was committed; else how many milliseconds old an answer may be.
   * @default 'strict'
   */
  freshness: custom<'strict' | number>(
    'strict',
    (value) => value === 'strict' || isAge(value),
    `is neither 'strict' nor a number of milliseconds`,
  ),
  /**
   * Sends what is kept in brotli or gzip to clients that take it, encoded once.
   * @default false
   */
  compress: flag(false),
} as const

export const paginationOptions = {
  /**
   * Entries of a page, if the request asks for no size.
   * @default 25
   */
  defaultPageSize: limit(25, 1, { changesBodies: true }),
  /**
   * Entries of a page at most; a larger size is cut to it.
   * @default 100
   */
  maxPageSize: limit(100, 1, { isPerRole: true, changesBodies: true }),
  /**
   * Whether a page tells the total, if the request does not say.
   * @default true
   */
  withCount: flag(true, { changesBodies: true }),
} as const

export const queueOptions = {
  /** How many answers are read at once. Without it: as many as the pool has connections. */
  maxRunning: limit(undefined, 1),
  /**
   * How many requests wait for their turn; those beyond are a 503 at once. Without it: 100 and, from the moment that
   * one was refused until none was for ten seconds, as many as run.
   */
  maxWaiting: limit(undefined, 0),
} as const

/** A key may take a table of its own, and MySQL joins no more than 61. */
const mostSortKeys = 50

export const queryOptions = {
  /**
   * Elements of one list.
   * @default 100
   */
  arrayLimit: limit(100, 1, { isPerRole: true }),
  /**
   * Parameters of a query.
   * @default 1_000
   */
  maxParameters: limit(1000, 1, { isPerRole: true }),
  /**
   * Characters of a query.
   * @default 50_000
   */
  maxLength: limit(50_000, 1, { isPerRole: true }),
  /**
   * Things that a query asks for: attributes, conditions, sorts and populated names.
   * @default 2_000
   */
  maxNodes: limit(2000, 1, { isPerRole: true }),
  /**
   * Values of one `$in`.
   * @default 1_000
   */
  maxInValues: limit(1000, 1, { isPerRole: true }),
  /**
   * Entries that one answer shows, at all levels together.
   * @default 20_000
   */
  maxEntries: limit(20_000, 1, { isPerRole: true }),
  /**
   * Different keys that one list is sorted by, at most 50.
   * @default 10
   */
  // MySQL sorts by so many texts in the memory that it has for it unless it is told otherwise.
  maxSortKeys: custom(
    10,
    (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= mostSortKeys,
    `is not a whole number from 0 to ${String(mostSortKeys)}`,
    { isPerRole: true },
  ),
  /**
   * Relations that filters and sorts follow, at all levels together.
   * @default 8
   */
  maxLinks: limit(8, 0, { isPerRole: true }),
  /**
   * Conditions in the filters of a query, at all levels together. Searches of long texts count several times.
   * @default 100
   */
  maxConditions: limit(100, 0, { isPerRole: true }),
  /**
   * How many levels `populate` may lead away from what is asked for.
   * @default Infinity
   */
  maxDepth: limit(Infinity, 0, { isPerRole: true }),
} as const
