import {
  choice,
  custom,
  type Filled,
  flag,
  group,
  groupOrOff,
  isFunction,
  isObject,
  isTime,
  type Option,
  isListOfTexts,
  isTable,
  isText,
  limit,
} from './option'
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
  custom(byDefault, isCount, 'must be an integer, 1 or higher')

export const cacheOptions = {
  /**
   * Maximum number of cached responses.
   * @default 10_000
   */
  maxEntries: bounds(10_000),
  /**
   * Maximum size of cached responses and their keys, in bytes. The default is 64 MB.
   * @default 67_108_864
   */
  maxBytes: bounds(64 * mebibyte),
  /**
   * `'strict'`: each request checks for new commits. A number: the maximum age of a cached response in
   * milliseconds.
   * @default 'strict'
   */
  freshness: custom<'strict' | number>(
    'strict',
    (value) => value === 'strict' || isAge(value),
    `must be 'strict' or a number of milliseconds above 0`,
  ),
  /**
   * Compresses cached responses once, with brotli or gzip, for clients that accept it.
   * @default false
   */
  compress: flag(false),
} as const

export const paginationOptions = {
  /**
   * Entries of a page if the request sets no size. It must not be above `maxPageSize`.
   * @default 25
   */
  defaultPageSize: limit(25, 1, { changesBodies: true }),
  /**
   * Maximum entries of a page. A larger requested size is reduced to it.
   * @default 100
   */
  maxPageSize: limit(100, 1, { isPerRole: true, changesBodies: true }),
  /**
   * Adds the total to each page. A request can override it with `pagination[withCount]`.
   * @default true
   */
  withCount: flag(true, { changesBodies: true }),
} as const

export const queueOptions = {
  /** Responses that are read at the same time. The default is the size of the connection pool. */
  maxRunning: limit(undefined, 1),
  /**
   * Requests that wait in the queue. Further requests are a 503. The default is 100. After a rejected request
   * it is `maxRunning`, until ten seconds pass without a rejection.
   */
  maxWaiting: limit(undefined, 0),
} as const

/** A key may take a table of its own, and MySQL joins no more than 61. */
const mostSortKeys = 50

export const queryOptions = {
  /**
   * Elements of one list in a query.
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
   * Parts of a query: attributes, conditions, sort keys and populated names.
   * @default 2_000
   */
  maxNodes: limit(2000, 1, { isPerRole: true }),
  /**
   * Values of one `$in`.
   * @default 1_000
   */
  maxInValues: limit(1000, 1, { isPerRole: true }),
  /**
   * Entries of one response, at all levels together.
   * @default 20_000
   */
  maxEntries: limit(20_000, 1, { isPerRole: true }),
  /**
   * Different sort keys of one list. The highest allowed value is 50.
   * @default 10
   */
  // MySQL's default sort buffer holds the keys of ten texts.
  maxSortKeys: custom(
    10,
    (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= mostSortKeys,
    `must be an integer from 0 to ${String(mostSortKeys)}`,
    { isPerRole: true },
  ),
  /**
   * Relations in filters and sort keys, at all levels together.
   * @default 8
   */
  maxLinks: limit(8, 0, { isPerRole: true }),
  /**
   * Conditions in the filters of a query, at all levels together. Searches of long texts count several times.
   * @default 100
   */
  maxConditions: limit(100, 0, { isPerRole: true }),
  /**
   * Levels of `populate`.
   * @default Infinity
   */
  maxDepth: limit(Infinity, 0, { isPerRole: true }),
} as const

/** Each locale adds a condition on all before it. */
export const mostFallbacks = 10

const isChain = (value: unknown): boolean =>
  isListOfTexts(value) && (value as readonly string[]).length <= mostFallbacks

const areChains = (value: unknown): boolean => isTable(value) && Object.values(value).every(isChain)

export const localeOptions = {
  /**
   * The locale of requests without a `locale` parameter. The default is Strapi's setting, if its table
   * exists, or else `en`.
   */
  defaultLocale: custom<string | undefined>(undefined, isText, 'must be a locale code', {
    changesBodies: true,
  }),
  /**
   * Other locales to use if a document lacks the requested locale: `{ 'de-AT': ['de', 'en'], '*': ['en'] }`.
   * The key `*` stands for all other locales.
   * @default {}
   */
  localeFallback: custom<Readonly<Record<string, readonly string[]>>>(
    {},
    areChains,
    'must be an object of locale lists',
    { remedy: "use { 'de-AT': ['de', 'en'], '*': ['en'] }", changesBodies: true },
  ),
} as const

export const shapeOptions = {
  /**
   * `'flat'`: the value of a relation is the related entry or list. `'wrapped'`: the value is `{ data: … }`.
   * @default 'flat'
   */
  relations: choice(['flat', 'wrapped'], { changesBodies: true }),
  /**
   * `'wrapped'`: the value of `localizations` is `{ data: … }`. `'flat'`: the value is the list.
   * @default 'wrapped'
   */
  localizations: choice(['wrapped', 'flat'], { changesBodies: true }),
  /**
   * Elements of a dynamic zone whose component is missing in `on`. `'stub'`: `id` and `__component` remain.
   * `'omit'`: the element is removed.
   * @default 'stub'
   */
  unlistedZoneElements: choice(['stub', 'omit'], { changesBodies: true }),
} as const

/** Options of `migrate` and `seed`, too. */
export const definitionOptions = {
  /**
   * Attributes that are private in every type and component, in addition to `options.privateAttributes` of
   * each definition.
   * @default []
   */
  privateAttributes: custom<readonly string[]>([], isListOfTexts, 'must be a list of names', {
    remedy: `use ['createdAt']`,
  }),
} as const

export type RoleLimits = Partial<
  Filled<typeof queryOptions> &
    Pick<Filled<typeof paginationOptions>, 'maxPageSize'> & {
      /** Maximum duration of a response in milliseconds. */
      readonly timeout: number
    }
>

/** Every option but those that say where the content is. */
export const optionTable = {
  ...definitionOptions,
  /**
   * Returns the roles of the caller: a role, a list of roles, `{ roles, asker }` with values for rules, or a
   * promise of any of these. Grants of several roles are combined. `null` is a 401. `strapiAuth()` reads
   * Strapi's tokens. Without it, every request has the role `public`.
   * @default () => 'public'
   */
  role: custom<RoleFunction | RoleSource>(
    () => 'public',
    (value) => isFunction(value) || isRoleSource(value),
    'must be a function',
    { remedy: 'use (req) => role, or strapiAuth(…)' },
  ),
  /**
   * Grants by role: `{ public: { find: ['article'] } }`, a function that returns `true`, `false` or a rule,
   * or `fromDatabase()`. Types without a grant are hidden.
   * @default {}
   */
  permissions: custom<PermissionsOption>({}, () => true, ''),
  /**
   * Errors and invalid results of `role`, `permissions` and functions of extensions. `'json'`: a 500 with an
   * id, which is also in the log. `'next'`: your error handler receives the error.
   * @default 'json'
   */
  hostErrors: choice(['json', 'next']),
  /**
   * Roles that can request `status=draft`. `'granted'`: roles with a `drafts` grant; others get a 403.
   * `'open'`: all roles that can find the type.
   * @default 'granted'
   */
  drafts: choice(['granted', 'open'], {
    // It decides which linked drafts are shown.
    changesBodies: true,
  }),
  ...shapeOptions,
  /** Limits of a query. A query that exceeds a limit is a 400 that names the limit. */
  query: group(queryOptions, 'must be an object of limits', 'use { maxDepth: 5 }'),
  /** Page sizes and totals. */
  pagination: group(paginationOptions, 'must be an object'),
  /**
   * Limits of one role: `{ public: { maxDepth: 3, timeout: 2000 } }`. They replace the general limits. A
   * caller with several roles gets the most generous value of each limit.
   * @default {}
   */
  limitsByRole: custom<Readonly<Record<string, RoleLimits>>>({}, isObject, 'must be an object of roles'),
  /**
   * Maximum duration of a response in milliseconds. After it, the router cancels the statements and sends a
   * 503. `Infinity`: no limit.
   * @default 10_000
   */
  timeout: custom(10_000, isTime, 'must be milliseconds above 0, or Infinity', { isPerRole: true }),
  /** Limits of running and waiting requests. */
  queue: group(queueOptions, 'must be an object of limits', 'use { maxRunning, maxWaiting }'),
  /**
   * Caches responses in memory until the next commit. `{}` enables it.
   * @default false
   */
  cache: groupOrOff(cacheOptions, 'must be false or an object', `use { freshness: 'strict' }`),
  /**
   * Sends an `ETag` with every response. Clients can then revalidate it with a 304. The default is `true`
   * with a cache.
   */
  etag: flag(undefined),
  /**
   * `Cache-Control` and `Vary` of responses, by type or for all under `'*'`: `{ article: { cacheControl:
   * 'max-age=60' } }`.
   * @default {}
   */
  headers: custom<Readonly<Record<string, TypeHeaders>>>({}, isObject, 'must be an object of types', {
    remedy: `use { '*': { cacheControl } }`,
  }),
  /**
   * Unknown paths below the mount path. `'next'`: your app handles them. `'json'`: a 404 in JSON.
   * @default 'next'
   */
  notFound: choice(['next', 'json']),
  /**
   * Unknown parameters of a query. `'near'`: names that are close to a parameter, such as `filter`, are a
   * 400. `true`: all unknown names are a 400. `false`: all are ignored.
   * @default 'near'
   */
  strictParameters: custom<'near' | boolean>(
    'near',
    (value) => value === 'near' || typeof value === 'boolean',
    `must be 'near', true or false`,
  ),
  /**
   * Allows `populate[x][pagination]`: pages of related entries.
   * @default false
   */
  nestedPagination: flag(false),
  ...localeOptions,
  /**
   * Comparison of strings. `'exact'`: by code point, the same on every database. `'database'`: by the
   * collation of the database.
   * @default 'exact'
   */
  textMatching: choice(['exact', 'database'], { changesBodies: true }),
} as const
