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
   * Limits the total size of cached responses and their keys, in bytes. The default is 64 MB.
   * @default 67_108_864
   */
  maxBytes: bounds(64 * mebibyte),
  /**
   * Limits the age of cached responses. With `'strict'`, each request checks the database for new commits. With a
   * number, a response can be outdated by at most this number of milliseconds.
   * @default 'strict'
   */
  freshness: custom<'strict' | number>(
    'strict',
    (value) => value === 'strict' || isAge(value),
    `the value must be 'strict' or a number of milliseconds above 0`,
  ),
  /**
   * Compresses each cached response a single time, with brotli or gzip. Clients that accept the encoding receive the
   * compressed response.
   * @default false
   */
  compress: flag(false),
} as const

export const paginationOptions = {
  /**
   * Sets the number of entries on a page if the request sets no size. The value must not be above `maxPageSize`.
   * @default 25
   */
  defaultPageSize: limit(25, 1, { changesBodies: true }),
  /**
   * Limits the number of entries on a page. If a request sets a larger size, the router uses this number.
   * @default 100
   */
  maxPageSize: limit(100, 1, { isPerRole: true, changesBodies: true }),
  /**
   * Adds the total number of entries to each page. With `'estimated'`, the database estimates totals above 10,000. A
   * request can override this option with `pagination[withCount]`.
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
  /** Limits the number of responses that run at the same time. The default is the size of the connection pool. */
  maxRunning: limit(undefined, 1),
  /**
   * Limits the number of requests that wait in the queue. The router rejects further requests with a 503. The default
   * is 100. After a rejected request, the default is `maxRunning` until ten seconds pass without a rejection.
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
   * Limits the number of parameters of a query.
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
   * Limits the number of values in one `$in`.
   * @default 1_000
   */
  maxInValues: limit(1000, 1, { isPerRole: true }),
  /**
   * Limits the number of entries in one response. The limit counts the entries of all levels together.
   * @default 20_000
   */
  maxEntries: limit(20_000, 1, { isPerRole: true }),
  /**
   * Limits the number of different sort keys of one list. The highest allowed value is 50.
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
   * Limits the number of relations in filters and sort keys. The limit counts the relations of all levels together.
   * @default 8
   */
  maxLinks: limit(8, 0, { isPerRole: true }),
  /**
   * Limits the number of conditions in filters of all levels. A search in a long text counts as several conditions.
   * @default 100
   */
  maxConditions: limit(100, 0, { isPerRole: true }),
  /**
   * Limits the number of levels of `populate`.
   * @default Infinity
   */
  maxDepth: limit(Infinity, 0, { isPerRole: true }),
} as const

/** Each locale adds a condition about all locales before it. */
export const mostFallbacks = 10

const isChain = (value: unknown): boolean =>
  isListOfTexts(value) && (value as readonly string[]).length <= mostFallbacks

const areChains = (value: unknown): boolean => isTable(value) && Object.values(value).every(isChain)

export const localeOptions = {
  /**
   * Sets the locale of requests without a `locale` parameter. The default is the default locale in the tables of
   * Strapi. Without these tables, the default is `en`.
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
   * Sets the format of relations. With `'flat'`, a relation is an entry or a list of entries. With `'wrapped'`, a
   * relation is an object `{ data: … }`.
   * @default 'flat'
   */
  relations: choice(['flat', 'wrapped'], { changesBodies: true }),
  /**
   * Sets the format of `localizations`. With `'wrapped'`, `localizations` is an object `{ data: … }`. With `'flat'`,
   * `localizations` is a list.
   * @default 'wrapped'
   */
  localizations: choice(['wrapped', 'flat'], { changesBodies: true }),
  /**
   * Selects the form of zone elements whose component is missing in the `on` of the request. With `'stub'`, the element
   * has only `id` and `__component`. With `'omit'`, the router removes the element.
   * @default 'stub'
   */
  unlistedZoneElements: choice(['stub', 'omit'], { changesBodies: true }),
} as const

export type RoleLimits = Partial<
  Filled<typeof queryOptions> &
    Pick<Filled<typeof paginationOptions>, 'maxPageSize'> & {
      /** Limits the duration of a response, in milliseconds. */
      readonly timeout: number
    }
>

/** Contains all options except those of the definitions and the database. */
export const optionTable = {
  /**
   * Returns the roles of the caller: a role, a list of roles, `{ roles, asker }`, or a promise. `asker` contains the
   * values of the current user that rules use. The router combines the grants of several roles. `null` causes a 401.
   * For tokens of Strapi, use `strapiAuth()`. Without this option, every request has the role `public`.
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
   * `fromDatabase()`. The function returns `true`, `false` or a rule. Types without a grant are hidden.
   * @default {}
   */
  permissions: custom<PermissionsOption>({}, () => true, ''),
  /**
   * Selects the response if `role`, `permissions` or a function of an extension fails or returns an invalid value. With
   * `'json'`, the router sends a 500 with an id and logs the error. With `'next'`, your error handler receives it.
   * @default 'json'
   */
  hostErrors: choice(['json', 'next']),
  /**
   * Selects the roles that can request `status=draft`. With `'granted'`, a role needs the grant `drafts`. The router
   * sends a 403 to roles without this grant. With `'open'`, each role that can find a type can request its drafts.
   * @default 'granted'
   */
  drafts: choice(['granted', 'open'], {
    // It decides which linked drafts are shown.
    changesBodies: true,
  }),
  ...shapeOptions,
  /** Limits queries. The router rejects a query that exceeds a limit with a 400. The message names the limit. */
  query: group(queryOptions, 'the value must be an object of limits', 'write { maxDepth: 5 }'),
  /** Sets the sizes of pages, and adds totals to pages. */
  pagination: group(paginationOptions, 'the value must be an object'),
  /**
   * Sets the limits of a role: `{ public: { maxDepth: 3, timeout: 2000 } }`. These limits replace the general limits. A
   * caller with several roles gets the highest value of each limit.
   * @default {}
   */
  limitsByRole: custom<Readonly<Record<string, RoleLimits>>>({}, isObject, 'the value must be an object'),
  /**
   * Limits the duration of a response, in milliseconds. After this time, the router cancels the statements and sends a
   * 503. `Infinity` disables the limit.
   * @default 10_000
   */
  timeout: custom(10_000, isTime, 'the value must be above 0 milliseconds, or Infinity', { isPerRole: true }),
  /** Limits the numbers of running and waiting requests. */
  queue: group(queueOptions, 'the value must be an object of limits', 'write { maxRunning: 10 }'),
  /**
   * Caches responses in memory until the next commit. An empty object enables the cache with its defaults.
   * @default false
   */
  cache: {
    ...group(cacheOptions, 'the value must be false or an object', `write { freshness: 'strict' }`),
    canBeOff: true,
  },
  /** Sends an `ETag` with every response, so that clients can revalidate it. With `cache`, the default is `true`. */
  etag: flag(undefined),
  /**
   * Sets `Cache-Control` and `Vary` of responses by type: `{ article: { cacheControl: 'max-age=60' } }`. The key `'*'`
   * stands for all types.
   * @default {}
   */
  headers: custom<Readonly<Record<string, TypeHeaders>>>({}, isObject, 'the value must be an object', {
    remedy: `write { '*': { cacheControl: 'max-age=60' } }`,
  }),
  /**
   * Selects the response to unknown paths. With `'next'`, your app receives the request. With `'json'`, the router
   * sends a 404 in JSON.
   * @default 'next'
   */
  notFound: choice(['next', 'json']),
  /**
   * Rejects unknown parameters of a query with a 400. With `'near'`, the router rejects only names that are similar to
   * a parameter, such as `filter`. With `true`, the router rejects all unknown names. With `false`, it ignores them.
   * @default 'near'
   */
  strictParameters: custom<'near' | boolean>(
    'near',
    (value) => value === 'near' || typeof value === 'boolean',
    `the value must be 'near', true or false`,
  ),
  /**
   * Allows `populate[x][pagination]`, which requests a page of related entries.
   * @default false
   */
  nestedPagination: flag(false),
  ...localeOptions,
  /**
   * Selects how strings are compared. With `'exact'`, the router compares code points, with the same result on every
   * database. With `'database'`, the collation of the database applies.
   * @default 'exact'
   */
  textMatching: choice(['exact', 'database'], { changesBodies: true }),
} as const
