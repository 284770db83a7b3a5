import {
  choice,
  custom,
  type Filled,
  flag,
  group,
  isFunction,
  isObject,
  isTime,
  type Option,
  isListOfTexts,
  isTable,
  limit,
} from './option'
import { isText } from '../schema'
import {
  isRoleSource,
  type PermissionsOption,
  type RoleFunction,
  type RoleSource,
  type TypeHeaders,
} from './permissions-option'

const isAge = (value: unknown): boolean => typeof value === 'number' && value > 0 && value !== Infinity
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0

const mebibyte = 1024 * 1024

const bounds = (byDefault: number): Option<number> =>
  custom(byDefault, isCount, 'the value must be an integer, 1 or higher')

export const cacheOptions = {
  /**
   * Limits the number of cached responses.
   * @default 10_000
   */
  maxEntries: bounds(10_000),
  /**
   * Limits the total size of cached responses and their keys, in bytes: 64 MB by default.
   * @default 67_108_864
   */
  maxBytes: bounds(64 * mebibyte),
  /**
   * Limits the age of cached responses. With `freshness: 'strict'`, each request checks the database for new commits.
   * With `freshness: 5000`, a response can be outdated by up to 5,000 milliseconds.
   * @default 'strict'
   */
  freshness: custom<'strict' | number>(
    'strict',
    (value) => value === 'strict' || isAge(value),
    `the value must be 'strict' or a number of milliseconds above 0`,
  ),
  /**
   * Compresses each cached response once, with brotli or gzip, for all clients that accept the encoding.
   * @default false
   */
  compress: flag(false),
} as const

export const paginationOptions = {
  /**
   * Sets the number of entries on a page for requests without a page size, up to `maxPageSize`.
   * @default 25
   */
  defaultPageSize: limit(25, 1, { changesBodies: true }),
  /**
   * Limits the number of entries on a page. For larger page sizes in requests, the router uses `maxPageSize`.
   * @default 100
   */
  maxPageSize: limit(100, 1, { isPerRole: true, changesBodies: true }),
  /**
   * Adds the total number of entries to each page. With `withCount: 'estimated'`, the database estimates totals above
   * 10,000. In a request, `pagination[withCount]` overrides the option `withCount`.
   * @default true
   */
  withCount: custom<boolean | 'estimated'>(
    true,
    (value) => typeof value === 'boolean' || value === 'estimated',
    `the value must be true, false or 'estimated'`,
    { changesBodies: true },
  ),
} as const

export const queueOptions = {
  /** Limits the number of concurrent responses that read the database. The default is the pool size. */
  maxRunning: limit(undefined, 1),
  /**
   * Limits the number of requests in the queue. If the queue is full, the router rejects requests with a 503. The
   * default is 100. For ten seconds after each rejection, the default is `maxRunning`.
   */
  maxWaiting: limit(undefined, 0),
} as const

/** Each sort key can require another table, and MySQL joins at most 61 tables. */
const mostSortKeys = 50

export const queryOptions = {
  /**
   * Limits the number of elements in one list of a query.
   * @default 100
   */
  arrayLimit: limit(100, 1, { isPerRole: true }),
  /**
   * Limits the number of URL parameters of a request.
   * @default 1_000
   */
  maxParameters: limit(1000, 1, { isPerRole: true }),
  /**
   * Limits the number of characters of a query.
   * @default 50_000
   */
  maxLength: limit(50_000, 1, { isPerRole: true }),
  /**
   * Limits the number of parts of a query: attributes, conditions, sort keys and populated names.
   * @default 2_000
   */
  maxNodes: limit(2000, 1, { isPerRole: true }),
  /**
   * Limits the number of values in the list of one `$in` operator.
   * @default 1_000
   */
  maxInValues: limit(1000, 1, { isPerRole: true }),
  /**
   * Limits the number of entries in one response, with the populated entries of all levels.
   * @default 20_000
   */
  maxEntries: limit(20_000, 1, { isPerRole: true }),
  /**
   * Limits the number of different sort keys of one list. The highest allowed value of `maxSortKeys` is 50.
   * @default 10
   */
  // MySQL's default sort buffer holds the keys of ten texts.
  maxSortKeys: custom(
    10,
    (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= mostSortKeys,
    `the value must be an integer from 0 to ${String(mostSortKeys)}`,
    { isPerRole: true },
  ),
  /**
   * Limits the number of relations in the filters and sort keys of a query, on all levels together.
   * @default 8
   */
  maxLinks: limit(8, 0, { isPerRole: true }),
  /**
   * Limits the number of conditions in the filters of all levels. A search in a long text counts as several conditions.
   * @default 100
   */
  maxConditions: limit(100, 0, { isPerRole: true }),
  /**
   * Limits the number of levels of `populate`.
   * @default Infinity
   */
  maxDepth: limit(Infinity, 0, { isPerRole: true }),
} as const

/** A fallback list must be short, because the SQL has a condition for each locale in the list. */
export const mostFallbacks = 10

const isChain = (value: unknown): boolean =>
  isListOfTexts(value) && (value as readonly string[]).length <= mostFallbacks

const areChains = (value: unknown): boolean => isTable(value) && Object.values(value).every(isChain)

export const localeOptions = {
  /**
   * Sets the locale of requests without a `locale` parameter. By default, the router uses the default locale from
   * Strapi's tables, or `en` without Strapi's tables.
   */
  defaultLocale: custom<string | undefined>(undefined, isText, 'the value must be a locale code', {
    changesBodies: true,
  }),
  /**
   * Lists the locales to use if a document lacks the requested locale: `{ 'de-AT': ['de', 'en'], '*': ['en'] }`. The
   * key `*` stands for all locales without a list.
   * @default {}
   */
  localeFallback: custom<Readonly<Record<string, readonly string[]>>>(
    {},
    areChains,
    'the value must be an object with a list of locales for each locale',
    { remedy: `write { 'de-AT': ['de', 'en'], '*': ['en'] }`, changesBodies: true },
  ),
} as const

export const shapeOptions = {
  /**
   * Sets the format of relations. With `relations: 'flat'`, a relation is an entry or a list of entries. With
   * `relations: 'wrapped'`, a relation is an object `{ data: … }`.
   * @default 'flat'
   */
  relations: choice(['flat', 'wrapped'], { changesBodies: true }),
  /**
   * Sets the format of `localizations`. With `localizations: 'wrapped'`, the format is an object `{ data: … }`. With
   * `localizations: 'flat'`, the format is a list.
   * @default 'wrapped'
   */
  localizations: choice(['wrapped', 'flat'], { changesBodies: true }),
  /**
   * Sets the format of dynamic zone elements whose component is not listed in the parameter `on`. With
   * `unlistedZoneElements: 'stub'`, an unlisted element has only `id` and `__component`. With
   * `unlistedZoneElements: 'omit'`, the router removes unlisted elements.
   * @default 'stub'
   */
  unlistedZoneElements: choice(['stub', 'omit'], { changesBodies: true }),
} as const

export type RoleLimits = Partial<
  Filled<typeof queryOptions> &
    Pick<Filled<typeof paginationOptions>, 'maxPageSize'> & {
      /** Limits the time from the request to the response, in milliseconds. */
      readonly timeout: number
    }
>

/** Contains all options except `contentTypes`, `database`, `logger` and `extensions`. */
export const optionTable = {
  /**
   * Returns the roles of the caller: a role, a list of roles, `{ roles, asker }`, or a promise. The object `asker`
   * contains values of the current user for permission rules. If a caller has several roles, the router combines their
   * grants. If the function `role` returns `null`, the router sends a 401. For tokens of Strapi, use `strapiAuth()`.
   * Without the option `role`, every request has the role `public`.
   * @default () => 'public'
   */
  role: custom<RoleFunction | RoleSource>(
    () => 'public',
    (value) => isFunction(value) || isRoleSource(value),
    'the value must be a function',
    { remedy: 'write a function (req) => role, or call strapiAuth(…)' },
  ),
  /**
   * Defines the grants of each role: a table such as `{ public: { find: ['article'] } }`, a function, or
   * `fromDatabase()`. A permission function returns `true`, `false` or a rule. Types without a grant are hidden.
   * @default {}
   */
  permissions: custom<PermissionsOption>({}, () => true, ''),
  /**
   * Selects the response if `role`, `permissions` or a function of an extension fails or returns an invalid value. With
   * `hostErrors: 'json'`, the router sends a 500 with an id and logs the error with the same id. With
   * `hostErrors: 'next'`, your error handler receives the error.
   * @default 'json'
   */
  hostErrors: choice(['json', 'next']),
  /**
   * Selects the roles that can request `status=draft`. With `drafts: 'granted'`, a role without the grant `drafts` gets
   * a 403. With `drafts: 'open'`, each role that can find a type can also request drafts of the type.
   * @default 'granted'
   */
  drafts: choice(['granted', 'open'], {
    // It decides which linked drafts are shown.
    changesBodies: true,
  }),
  ...shapeOptions,
  /** Limits the size of queries. If a query exceeds a limit, the router sends a 400 that names the limit. */
  query: group(queryOptions, 'the value must be an object of limits', 'write { maxDepth: 5 }'),
  /** Sets the default and the maximum page size, and adds totals to pages. */
  pagination: group(paginationOptions, 'the value must be an object'),
  /**
   * Sets the limits of a role: `{ public: { maxDepth: 3, timeout: 2000 } }`. The limits of a role replace the general
   * limits. A caller with several roles gets the highest value of each limit.
   * @default {}
   */
  limitsByRole: custom<Readonly<Record<string, RoleLimits>>>({}, isObject, 'the value must be an object'),
  /**
   * Limits the time from the request to the response, in milliseconds. If a response takes longer than `timeout`, the
   * router cancels the statements and sends a 503. Set `timeout: Infinity` to disable the limit.
   * @default 10_000
   */
  timeout: custom(10_000, isTime, 'the value must be above 0 milliseconds, or Infinity', { isPerRole: true }),
  /** Limits the numbers of running and waiting requests. */
  queue: group(queueOptions, 'the value must be an object of limits', 'write { maxRunning: 10 }'),
  /**
   * Caches responses in memory until the next commit. Set `cache: {}` to enable the cache with its default options.
   * @default false
   */
  cache: {
    ...group(cacheOptions, 'the value must be false or an object', `write { freshness: 'strict' }`),
    canBeOff: true,
  },
  /** Sends an `ETag` with each response, for revalidation by clients. If `cache` is on, `etag` is on by default. */
  etag: flag(undefined),
  /**
   * Sets `Cache-Control` and `Vary` of responses by type: `{ article: { cacheControl: 'max-age=60' } }`. The key `*`
   * stands for all types.
   * @default {}
   */
  headers: custom<Readonly<Record<string, TypeHeaders>>>({}, isObject, 'the value must be an object', {
    remedy: `write { '*': { cacheControl: 'max-age=60' } }`,
  }),
  /**
   * Selects the response to unknown paths below the mount path. With `notFound: 'next'`, your app receives the request.
   * With `notFound: 'json'`, the router sends a 404 in JSON.
   * @default 'next'
   */
  notFound: choice(['next', 'json']),
  /**
   * Rejects unknown parameters of a query with a 400. With `strictParameters: 'near'`, the router rejects only
   * parameters that are similar to a known parameter, such as `filter`. With `strictParameters: true`, the router
   * rejects all unknown parameters. With `strictParameters: false`, the router ignores unknown parameters.
   * @default 'near'
   */
  strictParameters: custom<'near' | boolean>(
    'near',
    (value) => value === 'near' || typeof value === 'boolean',
    `the value must be 'near', true or false`,
  ),
  /**
   * Allows the parameter `populate[x][pagination]`, which requests a page of related entries.
   * @default false
   */
  nestedPagination: flag(false),
  ...localeOptions,
  /**
   * Selects how strings are compared. With `textMatching: 'exact'`, the router compares code points, with the same
   * result on every database. With `textMatching: 'database'`, the collation of the database applies.
   * @default 'exact'
   */
  textMatching: choice(['exact', 'database'], { changesBodies: true }),
} as const
