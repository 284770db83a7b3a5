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
   * Limits the age of cached responses. With `freshness: 'strict'`, the router checks your database for new commits
   * before it sends a cached response. With `freshness: 5000`, a cached response can lack the commits of the last 5,000
   * milliseconds.
   * @default 'strict'
   */
  freshness: custom<'strict' | number>(
    'strict',
    (value) => value === 'strict' || isAge(value),
    `the value must be 'strict' or a number of milliseconds above 0`,
  ),
  /**
   * Compresses cached responses with brotli or gzip. The router compresses a cached response once, then sends the
   * compressed body to all clients that accept its encoding.
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
   * Limits the number of entries on a page. If a request contains a page size above `maxPageSize`, the router uses
   * `maxPageSize` as the page size.
   * @default 100
   */
  maxPageSize: limit(100, 1, { isPerRole: true, changesBodies: true }),
  /**
   * Adds the total number of matching entries to the response of a list. With `withCount: 'estimated'`, the database
   * estimates totals above 10,000 entries. The query parameter `pagination[withCount]` overrides the option `withCount`
   * for one request.
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
  /**
   * Limits the number of requests that read the database at the same time. By default, `maxRunning` is the number of
   * connections in the connection pool.
   */
  maxRunning: limit(undefined, 1),
  /**
   * Limits the number of requests that wait in the queue. If the queue is full, the router responds to a new request
   * with a 503. By default, `maxWaiting` is 100. For ten seconds after such a 503, the default is the value of
   * `maxRunning`.
   */
  maxWaiting: limit(undefined, 0),
} as const

/** MySQL can join at most 61 tables in one query. Each sort key can add one table to the query. */
const mostSortKeys = 50

export const queryOptions = {
  /**
   * Limits the number of elements in one list of a query, such as the list of attributes in `fields`.
   * @default 100
   */
  arrayLimit: limit(100, 1, { isPerRole: true }),
  /**
   * Limits the number of query parameters in the URL of a request.
   * @default 1_000
   */
  maxParameters: limit(1000, 1, { isPerRole: true }),
  /**
   * Limits the length of the query string of a request, in characters.
   * @default 50_000
   */
  maxLength: limit(50_000, 1, { isPerRole: true }),
  /**
   * Limits the total number of attributes, conditions, sort keys and populated names in one query.
   * @default 2_000
   */
  maxNodes: limit(2000, 1, { isPerRole: true }),
  /**
   * Limits the number of values in the list of one `$in` operator.
   * @default 1_000
   */
  maxInValues: limit(1000, 1, { isPerRole: true }),
  /**
   * Limits the number of entries in one response. The populated entries of all levels also count.
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
   * Limits the total number of relations in the filters and sort keys of one query.
   * @default 8
   */
  maxLinks: limit(8, 0, { isPerRole: true }),
  /**
   * Limits the total number of conditions in the filters of one query. A condition that searches in a text counts
   * several times.
   * @default 100
   */
  maxConditions: limit(100, 0, { isPerRole: true }),
  /**
   * Limits the number of nested levels of `populate`.
   * @default Infinity
   */
  maxDepth: limit(Infinity, 0, { isPerRole: true }),
} as const

/**
 * Limits the length of a list of fallback locales, because the SQL statement has a condition for each locale in the
 * list.
 */
export const mostFallbacks = 10

const isChain = (value: unknown): boolean =>
  isListOfTexts(value) && (value as readonly string[]).length <= mostFallbacks

const areChains = (value: unknown): boolean => isTable(value) && Object.values(value).every(isChain)

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
   * Sets your function that returns the roles of a request. The function `role` returns a role, a list of roles, an
   * object `{ roles, asker }`, or a promise of one of these values. The object `asker` contains the values of the
   * current user for your permission rules. If a request has several roles, the router combines the grants of these
   * roles. If the function `role` returns `null`, the router sends a 401. To accept tokens of Strapi, set the option
   * `role` to `strapiAuth({ … })`. If you do not set the option `role`, every request has the role `public`.
   * @default () => 'public'
   */
  role: custom<RoleFunction | RoleSource>(
    () => 'public',
    (value) => isFunction(value) || isRoleSource(value),
    'the value must be a function',
    { remedy: 'set role to a function (req) => role, or to strapiAuth(…)' },
  ),
  /**
   * Sets the types that each role can read. The option `permissions` accepts an object such as `{ public: { find:
   * ['article'] } }`, a function, or `fromDatabase()`. A `permissions` function returns `true`, `false` or a rule for a
   * role, a type and an action. A type is hidden from a role if the role has no grant for this type.
   * @default {}
   */
  permissions: custom<PermissionsOption>({}, () => true, ''),
  /**
   * Selects what the router does if one of your functions, such as `role` or `permissions`, throws an error or returns
   * an invalid value. With `hostErrors: 'json'`, the router sends a 500 with an id, and logs the error with the same
   * id. With `hostErrors: 'next'`, the router passes the error of your function to the error handler of your app.
   * @default 'json'
   */
  hostErrors: choice(['json', 'next']),
  /**
   * Selects the roles that can read drafts with the query parameter `status=draft`. With `drafts: 'granted'`, a request
   * for drafts gets a 403 if its role lacks the grant `drafts`. With `drafts: 'open'`, each role that can read a type
   * can also read the drafts of this type.
   * @default 'granted'
   */
  drafts: choice(['granted', 'open'], {
    // It decides which linked drafts are shown.
    changesBodies: true,
  }),
  /**
   * Sets the JSON format of relations in responses. With `relations: 'flat'`, a response contains a relation as an
   * entry or a list of entries. With `relations: 'wrapped'`, a response contains a relation as an object `{ data: … }`.
   * @default 'flat'
   */
  relations: choice(['flat', 'wrapped'], { changesBodies: true }),
  /**
   * Sets the JSON format of `localizations`, which contains the other locales of an entry. With `localizations:
   * 'wrapped'`, a response contains `localizations` as an object `{ data: … }`. With `localizations: 'flat'`, a
   * response contains `localizations` as a list.
   * @default 'wrapped'
   */
  localizations: choice(['wrapped', 'flat'], { changesBodies: true }),
  /**
   * Sets the format of a component in a dynamic zone if the parameter `on` of a request does not list the component.
   * With `unlistedZoneElements: 'stub'`, a component that is not in `on` has only `id` and `__component`. With
   * `unlistedZoneElements: 'omit'`, the response omits each component that is not in `on`.
   * @default 'stub'
   */
  unlistedZoneElements: choice(['stub', 'omit'], { changesBodies: true }),
  /**
   * Sets the limits of one query. If a query exceeds a limit, the router sends a 400. The error message contains the
   * name of the limit.
   */
  query: group(queryOptions, 'the value must be an object of limits', 'write { maxDepth: 5 }'),
  /** Sets the default page size, the maximum page size, and whether a response contains the total of a list. */
  pagination: group(paginationOptions, 'the value must be an object'),
  /**
   * Sets separate limits for a role: `{ public: { maxDepth: 3, timeout: 2000 } }`. For the requests of this role, a
   * limit in `limitsByRole` replaces the same limit in `query`, `pagination` or `timeout`. If a request has several
   * roles, the highest value of each limit applies.
   * @default {}
   */
  limitsByRole: custom<Readonly<Record<string, RoleLimits>>>({}, isObject, 'the value must be an object'),
  /**
   * Limits the time from the request to the response, in milliseconds. If a response takes longer than `timeout`, the
   * router cancels the SQL statements of the request and sends a 503. Set `timeout: Infinity` to disable the time
   * limit.
   * @default 10_000
   */
  timeout: custom(10_000, isTime, 'the value must be above 0 milliseconds, or Infinity', { isPerRole: true }),
  /** Limits how many requests read the database at the same time, and how many requests wait in the queue. */
  queue: group(queueOptions, 'the value must be an object of limits', 'write { maxRunning: 10 }'),
  /**
   * Caches responses in memory until the next commit to your database. Set `cache: {}` to enable the cache with its
   * default options.
   * @default false
   */
  cache: {
    ...group(cacheOptions, 'the value must be false or an object', `write { freshness: 'strict' }`),
    canBeOff: true,
  },
  /**
   * Adds the header `ETag` to each response. A client can send the `ETag` again to ask whether its stored response is
   * current. By default, `etag` is `true` if you set the option `cache`, and otherwise `false`.
   */
  etag: flag(undefined),
  /**
   * Sets the response headers `Cache-Control` and `Vary` for each type: `{ article: { cacheControl: 'max-age=60' } }`.
   * In `headers`, an asterisk as key sets the headers for all types.
   * @default {}
   */
  headers: custom<Readonly<Record<string, TypeHeaders>>>({}, isObject, 'the value must be an object', {
    remedy: `set headers to { '*': { cacheControl: 'max-age=60' } }`,
  }),
  /**
   * Selects what the router does with a request for an unknown path, such as `/api/unknown`. With `notFound: 'next'`,
   * the router passes the request to the next handler of your app. With `notFound: 'json'`, the router sends a 404 with
   * a JSON body.
   * @default 'next'
   */
  notFound: choice(['next', 'json']),
  /**
   * Selects how the router handles unknown query parameters. With `strictParameters: 'near'`, the router rejects an
   * unknown parameter if its name is similar to a known name: `filter` is similar to `filters`. With `strictParameters:
   * true`, the router rejects each request with an unknown parameter. With `strictParameters: false`, the router
   * ignores unknown parameters.
   * @default 'near'
   */
  strictParameters: custom<'near' | boolean>(
    'near',
    (value) => value === 'near' || typeof value === 'boolean',
    `the value must be 'near', true or false`,
  ),
  /**
   * Allows clients to request one page of a populated relation, for example with
   * `populate[articles][pagination][page]=2`.
   * @default false
   */
  nestedPagination: flag(false),
  /**
   * Sets the locale of requests without a `locale` parameter. By default, the router reads the default locale from the
   * table `strapi_core_store_settings` of Strapi. If your database lacks the table `strapi_core_store_settings`, the
   * default locale is `en`.
   */
  defaultLocale: custom<string | undefined>(undefined, isText, 'the value must be a locale code', {
    changesBodies: true,
  }),
  /**
   * Lists the locales that the router tries if a document does not exist in the requested locale: `{ 'de-AT': ['de',
   * 'en'] }`. In `localeFallback`, an asterisk as key sets the list for each locale without its own key.
   * @default {}
   */
  localeFallback: custom<Readonly<Record<string, readonly string[]>>>(
    {},
    areChains,
    'the value must be an object with a list of locales for each locale',
    { remedy: `set localeFallback to { 'de-AT': ['de', 'en'], '*': ['en'] }`, changesBodies: true },
  ),
  /**
   * Selects how filters and sorts compare strings. With `textMatching: 'exact'`, the router compares strings by code
   * points, so that every database returns the same results. With `textMatching: 'database'`, your database compares
   * strings by the collation of the column.
   * @default 'exact'
   */
  textMatching: choice(['exact', 'database'], { changesBodies: true }),
} as const
