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
   * Limits the total size of the cache, in bytes. By default, `maxBytes` is 64 MB.
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
   * Sets the number of entries on a page if a request contains no page size.
   * @default 25
   */
  defaultPageSize: limit(25, 1, { changesBodies: true }),
  /**
   * Limits the number of entries on a page. The router reduces a larger page size of a request to `maxPageSize`.
   * @default 100
   */
  maxPageSize: limit(100, 1, { isPerRole: true, changesBodies: true }),
  /**
   * Adds the total number of matching entries to the response of a list. With `withCount: 'estimated'`, the database
   * estimates totals above 10,000 entries. In a request, `pagination[withCount]` overrides the option `withCount`.
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
  /** Limits the number of requests that read the database at once. By default, `maxRunning` is the pool size. */
  maxRunning: limit(undefined, 1),
  /**
   * Limits the number of requests that wait to read the database. If the queue is full, the router sends a 503. By
   * default, `maxWaiting` is 100, but equals `maxRunning` for ten seconds after a 503 from a full queue.
   */
  maxWaiting: limit(undefined, 0),
} as const

/** MySQL joins at most 61 tables in one query, and each sort key can add a table. */
const mostSortKeys = 50

export const queryOptions = {
  /**
   * Limits the number of elements in one list of a query, such as the list in `fields`.
   * @default 100
   */
  arrayLimit: limit(100, 1, { isPerRole: true }),
  /**
   * Limits the number of URL parameters of a request.
   * @default 1_000
   */
  maxParameters: limit(1000, 1, { isPerRole: true }),
  /**
   * Limits the length of one query, in characters.
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
   * Limits the number of entries in one response, including the populated entries of all levels.
   * @default 20_000
   */
  maxEntries: limit(20_000, 1, { isPerRole: true }),
  /**
   * Limits the number of different sort keys for one list of entries. The highest allowed value of `maxSortKeys` is 50.
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
   * Limits the number of relations that all filters and sort keys of one query follow.
   * @default 8
   */
  maxLinks: limit(8, 0, { isPerRole: true }),
  /**
   * Limits the number of conditions in all filters of a query. A condition on a long text can count several times.
   * @default 100
   */
  maxConditions: limit(100, 0, { isPerRole: true }),
  /**
   * Limits the number of nested levels of `populate`.
   * @default Infinity
   */
  maxDepth: limit(Infinity, 0, { isPerRole: true }),
} as const

/** Limits the length of a list of fallback locales, because the SQL has a condition for each locale in the list. */
export const mostFallbacks = 10

const isChain = (value: unknown): boolean =>
  isListOfTexts(value) && (value as readonly string[]).length <= mostFallbacks

const areChains = (value: unknown): boolean => isTable(value) && Object.values(value).every(isChain)

export const localeOptions = {
  /**
   * Sets the locale of requests without a `locale` parameter. By default, the router reads the default locale from
   * the table `strapi_core_store_settings` of Strapi. Without this table, the default locale is `en`.
   */
  defaultLocale: custom<string | undefined>(undefined, isText, 'the value must be a locale code', {
    changesBodies: true,
  }),
  /**
   * Lists the locales that the router tries if a document does not exist in the requested locale:
   * `{ 'de-AT': ['de', 'en'] }`. In `localeFallback`, an asterisk as key applies to all other locales.
   * @default {}
   */
  localeFallback: custom<Readonly<Record<string, readonly string[]>>>(
    {},
    areChains,
    'the value must be an object with a list of locales for each locale',
    { remedy: `set localeFallback to { 'de-AT': ['de', 'en'], '*': ['en'] }`, changesBodies: true },
  ),
} as const

export const shapeOptions = {
  /**
   * Sets the JSON format of relations in responses. With `relations: 'flat'`, a response contains a relation as an
   * entry or a list of entries. With `relations: 'wrapped'`, a response contains a relation as an object `{ data: … }`.
   * @default 'flat'
   */
  relations: choice(['flat', 'wrapped'], { changesBodies: true }),
  /**
   * Sets the format of `localizations`, the other locales of an entry. With `localizations: 'wrapped'`, a response
   * contains `localizations` as an object `{ data: … }`. With `localizations: 'flat'`, a response contains a list.
   * @default 'wrapped'
   */
  localizations: choice(['wrapped', 'flat'], { changesBodies: true }),
  /**
   * Sets the format of dynamic zone components that the parameter `on` of a request does not list. With
   * `unlistedZoneElements: 'stub'`, a component that is not in `on` has only `id` and `__component`. With
   * `unlistedZoneElements: 'omit'`, the response omits each component that is not in `on`.
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

/** Defines all options of the router except `contentTypes`, `database`, `logger` and `extensions`. */
export const optionTable = {
  /**
   * Returns the roles of a request, as a role, a list of roles, `{ roles, asker }`, or a promise. The object `asker`
   * contains the values of the current user that your permission rules use. If a request has several roles, the router
   * combines the grants of these roles. If the function `role` returns `null`, the router sends a 401. To accept tokens
   * of Strapi, use `strapiAuth()`. Without the option `role`, every request has the role `public`.
   * @default () => 'public'
   */
  role: custom<RoleFunction | RoleSource>(
    () => 'public',
    (value) => isFunction(value) || isRoleSource(value),
    'the value must be a function',
    { remedy: 'set role to a function (req) => role, or to strapiAuth(…)' },
  ),
  /**
   * Grants types to roles. Set an object such as `{ public: { find: ['article'] } }`, a function, or `fromDatabase()`.
   * A `permissions` function returns `true`, `false` or a rule. Types without a grant are hidden from the role.
   * @default {}
   */
  permissions: custom<PermissionsOption>({}, () => true, ''),
  /**
   * Selects the response if one of your functions, such as `role` or `permissions`, fails or returns an invalid value.
   * With `hostErrors: 'json'`, the router sends a 500 with an id, and logs the error with the same id. With
   * `hostErrors: 'next'`, the router passes the error to the error handler of your app.
   * @default 'json'
   */
  hostErrors: choice(['json', 'next']),
  /**
   * Selects the roles that can request `status=draft`. With `drafts: 'granted'`, a role without the grant `drafts` gets
   * a 403. With `drafts: 'open'`, each role that can read a type can also request its drafts.
   * @default 'granted'
   */
  drafts: choice(['granted', 'open'], {
    // It decides which linked drafts are shown.
    changesBodies: true,
  }),
  ...shapeOptions,
  /** Limits the size of queries. If a query exceeds a limit, the router sends a 400 that names the limit. */
  query: group(queryOptions, 'the value must be an object of limits', 'write { maxDepth: 5 }'),
  /** Contains the settings of pages: the default page size, the maximum page size, and the total of a list. */
  pagination: group(paginationOptions, 'the value must be an object'),
  /**
   * Sets the limits of a role: `{ public: { maxDepth: 3, timeout: 2000 } }`. The limits in `limitsByRole` replace the
   * general limits for requests of a role. If a request has several roles, the highest value of each limit applies.
   * @default {}
   */
  limitsByRole: custom<Readonly<Record<string, RoleLimits>>>({}, isObject, 'the value must be an object'),
  /**
   * Limits the time from the request to the response, in milliseconds. If a response takes longer than `timeout`, the
   * router cancels its SQL statements and sends a 503. Set `timeout: Infinity` to disable the time limit.
   * @default 10_000
   */
  timeout: custom(10_000, isTime, 'the value must be above 0 milliseconds, or Infinity', { isPerRole: true }),
  /** Limits the number of requests that read the database, and the number of waiting requests. */
  queue: group(queueOptions, 'the value must be an object of limits', 'write { maxRunning: 10 }'),
  /**
   * Caches responses in memory until the next commit. Set `cache: {}` to enable the cache with its default options.
   * @default false
   */
  cache: {
    ...group(cacheOptions, 'the value must be false or an object', `write { freshness: 'strict' }`),
    canBeOff: true,
  },
  /** Sends an `ETag` with each response, so that clients can revalidate. By default, `etag` is on if `cache` is on. */
  etag: flag(undefined),
  /**
   * Sets the headers `Cache-Control` and `Vary` of each type: `{ article: { cacheControl: 'max-age=60' } }`. In
   * `headers`, an asterisk as key applies to all types.
   * @default {}
   */
  headers: custom<Readonly<Record<string, TypeHeaders>>>({}, isObject, 'the value must be an object', {
    remedy: `set headers to { '*': { cacheControl: 'max-age=60' } }`,
  }),
  /**
   * Selects the response to unknown paths below the mount path of the router. With `notFound: 'next'`, the router
   * passes the request to your app. With `notFound: 'json'`, the router sends a 404 in JSON.
   * @default 'next'
   */
  notFound: choice(['next', 'json']),
  /**
   * Selects the unknown query parameters that cause a 400. With `strictParameters: 'near'`, the router rejects only
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
   * Selects how filters and sorts compare strings. With `textMatching: 'exact'`, the router compares code points, with
   * equal results on every database. With `textMatching: 'database'`, your database compares strings by its collation.
   * @default 'exact'
   */
  textMatching: choice(['exact', 'database'], { changesBodies: true }),
} as const
