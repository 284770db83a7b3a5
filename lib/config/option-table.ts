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

/** For each of them it is asked whether the document is there in one before it. */
export const mostFallbacks = 10

const isChain = (value: unknown): boolean =>
  isListOfTexts(value) && (value as readonly string[]).length <= mostFallbacks

const areChains = (value: unknown): boolean => isTable(value) && Object.values(value).every(isChain)

/** In which locale entries are shown. */
export const localeOptions = {
  /** The locale of requests that name none. Without it: Strapi's own setting where its table is there, else `en`. */
  defaultLocale: custom<string | undefined>(undefined, isText, 'is no code of a locale', {
    changesBodies: true,
  }),
  /**
   * In which other locales a document is shown that the asked one lacks, by the asked one; `*` for all that are not
   * named: `{ 'de-AT': ['de', 'en'], '*': ['en'] }`.
   * @default {}
   */
  localeFallback: custom<Readonly<Record<string, readonly string[]>>>(
    {},
    areChains,
    'is no table of lists of locales',
    { remedy: "use { 'de-AT': ['de', 'en'], '*': ['en'] }", changesBodies: true },
  ),
} as const

/** In which shape an answer shows what an entry leads to. */
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

/** How definitions are read: what `migrate` and `seed` have to know as well. */
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

/** What an answer to a role may cost, where that is not what it may cost to all. */
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
   * Who asks: a role, a list of roles, `{ roles, asker }` with values that rules compare with, or a promise of any of
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
   * What each role may read: `{ public: { find: ['article'] } }`, a function that answers `true`, `false` or a rule, or
   * `fromDatabase()`. Nothing is granted unless it is said here.
   * @default {}
   */
  permissions: custom<PermissionsOption>({}, () => true, ''),
  /**
   * What happens when `role`, `permissions` or a function of an extension throws, or returns something wrong. `'json'`: a 500 with
   * an id that the log has, too. `'next'`: the error goes on to your error handler.
   * @default 'json'
   */
  hostErrors: choice(['json', 'next']),
  /**
   * Who may ask `status=draft`. `'granted'`: roles with a `drafts` grant; others get a 403. `'open'`: all that may
   * find the type.
   * @default 'granted'
   */
  drafts: choice(['granted', 'open'], {
    // What drafts lead to is shown, or pruned, by it.
    changesBodies: true,
  }),
  ...shapeOptions,
  /** Limits on what a query may hold and cost; beyond each the answer is a 400 that names it. */
  query: group(queryOptions, 'is no table of limits', 'use { maxDepth: 5 }') as Group<typeof queryOptions>,
  /** How many entries a page has. */
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
  /** How many requests are answered at once, and how many wait. */
  queue: group(queueOptions, 'is no table of limits', 'use { maxRunning, maxWaiting }') as Group<
    typeof queueOptions
  >,
  /**
   * Keeps answers in memory for as long as the database says that nothing was committed since. `{}` switches it on.
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
   * What happens to names at the top of a query that are no parameters. `'near'`: those that are nearly one, such as
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
