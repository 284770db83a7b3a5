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
  type Group,
  type OffGroup,
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
  custom(byDefault, isCount, 'is not a whole number from 1 on')

export const cacheOptions = {
  /**
   * Cached responses at most.
   * @default 10_000
   */
  maxEntries: bounds(10_000),
  /**
   * Bytes of cached responses and their keys at most. The default is 64 MB.
   * @default 67_108_864
   */
  maxBytes: bounds(64 * mebibyte),
  /**
   * `'strict'`: every request checks for new commits. A number: the age of a cached response in milliseconds at most.
   * @default 'strict'
   */
  freshness: custom<'strict' | number>(
    'strict',
    (value) => value === 'strict' || isAge(value),
    `is neither 'strict' nor a number of milliseconds`,
  ),
  /**
   * Sends cached responses in brotli or gzip to clients that accept it, compressed once.
   * @default false
   */
  compress: flag(false),
} as const

export const paginationOptions = {
  /**
   * Entries of a page without a requested size.
   * @default 25
   */
  defaultPageSize: limit(25, 1, { changesBodies: true }),
  /**
   * Entries of a page at most; a larger size is cut to it.
   * @default 100
   */
  maxPageSize: limit(100, 1, { isPerRole: true, changesBodies: true }),
  /**
   * Pages hold the total, unless the request says otherwise.
   * @default true
   */
  withCount: flag(true, { changesBodies: true }),
} as const

export const queueOptions = {
  /** Responses that are read at once. The default is the size of the pool. */
  maxRunning: limit(undefined, 1),
  /**
   * Requests that wait for their turn; further ones are a 503. The default is 100. From a refused request until ten
   * seconds without one it is `maxRunning`.
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
   * Parts of a query: attributes, conditions, sorts and populated names.
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
  // MySQL's default sort buffer holds the keys of ten texts.
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
   * Levels of `populate` at most.
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
  /** The locale of requests that name none. Without it: Strapi's own setting where its table is there, else `en`. */
  defaultLocale: custom<string | undefined>(undefined, isText, 'is no code of a locale', {
    changesBodies: true,
  }),
  /**
   * Other locales of a document that lacks the requested one, by requested locale; `*` for all others:
   * `{ 'de-AT': ['de', 'en'], '*': ['en'] }`.
   * @default {}
   */
  localeFallback: custom<Readonly<Record<string, readonly string[]>>>(
    {},
    areChains,
    'is no table of lists of locales',
    { remedy: "use { 'de-AT': ['de', 'en'], '*': ['en'] }", changesBodies: true },
  ),
} as const

export const shapeOptions = {
  /**
   * `'flat'`: a related entry or list is put directly. `'wrapped'`: as `{ data: … }`.
   * @default 'flat'
   */
  relations: choice(['flat', 'wrapped'], { changesBodies: true }),
  /**
   * `'wrapped'`: `localizations` are put as `{ data: … }`. `'flat'`: directly.
   * @default 'wrapped'
   */
  localizations: choice(['wrapped', 'flat'], { changesBodies: true }),
  /**
   * An element of a dynamic zone that is not listed in `on`. `'stub'`: keeps `id` and `__component`. `'omit'`: leaves
   * the list.
   * @default 'stub'
   */
  unlistedZoneElements: choice(['stub', 'omit'], { changesBodies: true }),
} as const

/** Options of `migrate` and `seed`, too. */
export const definitionOptions = {
  /**
   * Attributes that are private in every type and component, as `options.privateAttributes` of every definition would
   * make them: `['createdAt']`.
   * @default []
   */
  privateAttributes: custom<readonly string[]>([], isListOfTexts, 'is no list of names', {
    remedy: `use ['createdAt']`,
  }),
} as const

export type RoleLimits = Partial<
  Filled<typeof queryOptions> &
    Pick<Filled<typeof paginationOptions>, 'maxPageSize'> & {
      /** Milliseconds after which an answer is given up. */
      readonly timeout: number
    }
>

/** Every option but those that say where the content is. */
export const optionTable = {
  ...definitionOptions,
  /**
   * The caller: a role, a list of roles, `{ roles, asker }` with values that rules compare with, or a promise of any of
   * these. Several roles may do what any of them may; `null` is a 401. `strapiAuth()` reads Strapi's tokens. Without it,
   * every request has the role `public`.
   * @default () => 'public'
   */
  role: custom<RoleFunction | RoleSource>(
    () => 'public',
    (value) => isFunction(value) || isRoleSource(value),
    'is no function',
    { remedy: 'use (req) => role, or strapiAuth(…)' },
  ),
  /**
   * Grants by role: `{ public: { find: ['article'] } }`, a function that answers `true`, `false` or a rule, or
   * `fromDatabase()`. Nothing is granted unless it is said here.
   * @default {}
   */
  permissions: custom<PermissionsOption>({}, () => true, ''),
  /**
   * Errors and wrong results of `role`, `permissions` or a function of an extension. `'json'`: a 500 with an id that the
   * log has, too. `'next'`: the error goes on to your error handler.
   * @default 'json'
   */
  hostErrors: choice(['json', 'next']),
  /**
   * Roles that may use `status=draft`. `'granted'`: roles with a `drafts` grant; others get a 403. `'open'`: all that may
   * find the type.
   * @default 'granted'
   */
  drafts: choice(['granted', 'open'], {
    // It decides which linked drafts are shown.
    changesBodies: true,
  }),
  ...shapeOptions,
  /** Limits on what a query may hold and cost; beyond each the answer is a 400 that names it. */
  query: group(queryOptions, 'is no table of limits', 'use { maxDepth: 5 }') as Group<typeof queryOptions>,
  /** Sizes and totals of pages. */
  pagination: group(paginationOptions, 'is no table') as Group<typeof paginationOptions>,
  /**
   * Limits of one role in place of those of all: `{ public: { maxDepth: 3, timeout: 2000 } }`. Several roles have the
   * most generous of each limit.
   * @default {}
   */
  limitsByRole: custom<Readonly<Record<string, RoleLimits>>>(
    {},
    isObject,
    'is no table of limits by role',
  ) as Option<Readonly<Record<string, RoleLimits>>>,
  /**
   * Milliseconds after which an answer is given up, its statements are cancelled, and the answer is a 503.
   * `Infinity`: no limit.
   * @default 10_000
   */
  timeout: custom(10_000, isTime, 'is not a number of milliseconds', {
    remedy: 'Infinity: no limit',
    isPerRole: true,
  }),
  /** Requests that run and wait at once. */
  queue: group(queueOptions, 'is no table of limits', 'use { maxRunning, maxWaiting }') as Group<
    typeof queueOptions
  >,
  /**
   * Caches responses in memory until the next commit. `{}` switches it on.
   * @default false
   */
  cache: groupOrOff(
    cacheOptions,
    'is neither false nor an object',
    `use { freshness: 'strict' }`,
  ) as OffGroup<typeof cacheOptions>,
  /**
   * Sends an `ETag` with every answer, with which a client can ask whether it still holds. Without it: where there is
   * a cache.
   */
  etag: flag(undefined),
  /**
   * `Cache-Control` and `Vary` of answers, by type, or for all under `'*'`: `{ article: { cacheControl: 'max-age=60'
   * } }`.
   * @default {}
   */
  headers: custom<Readonly<Record<string, TypeHeaders>>>({}, isObject, 'is no table of types', {
    remedy: `use { '*': { cacheControl } }`,
  }),
  /**
   * A path below the mount that is no route of the router. `'next'`: goes on to your app. `'json'`: a 404 in JSON.
   * @default 'next'
   */
  notFound: choice(['next', 'json']),
  /**
   * Unknown parameters of a query. `'near'`: those that are nearly one, such as
   * `filter`, are a 400. `true`: all of them are. `false`: none.
   * @default 'near'
   */
  strictParameters: custom<'near' | boolean>(
    'near',
    (value) => value === 'near' || typeof value === 'boolean',
    `is neither 'near', true nor false`,
  ),
  /**
   * Allows `populate[x][pagination]`: pages of related entries.
   * @default false
   */
  nestedPagination: flag(false),
  ...localeOptions,
  /**
   * `'exact'`: texts are compared the same on every database, by code point. `'database'`: as the database does it.
   * @default 'exact'
   */
  textMatching: choice(['exact', 'database'], { changesBodies: true }),
} as const
