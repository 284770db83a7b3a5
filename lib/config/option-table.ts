import { cacheOptions, paginationOptions, queryOptions, queueOptions } from './query-options'
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
} from './option'
import {
  isRoleSource,
  type PermissionsOption,
  type RoleFunction,
  type RoleSource,
  type TypeHeaders,
} from './permissions-option'

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
    values: "Strapi's setting where it is there, else `'en'`; a code",
    meaning: 'the locale of requests that name none',
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
    {
      remedy: "use { 'de-AT': ['de', 'en'], '*': ['en'] }",
      changesBodies: true,
      values: "none; `{ 'de-AT': ['de', 'en'], '*': ['en'] }`",
      meaning:
        'in which [other locales](queries.md#another-locale-where-one-is-missing) a document is shown that the asked one lacks',
    },
  ),
} as const

/** In which shape an answer shows what an entry leads to. */
export const shapeOptions = {
  /**
   * `'flat'`: a related entry or list is put directly. `'wrapped'`: as `{ data: … }`.
   * @default 'flat'
   */
  relations: choice(['flat', 'wrapped'], {
    changesBodies: true,
    meaning: 'entry or list put directly, or as `{ data: … }`',
  }),
  /**
   * `'wrapped'`: `localizations` are put as `{ data: … }`. `'flat'`: directly.
   * @default 'wrapped'
   */
  localizations: choice(['wrapped', 'flat'], {
    changesBodies: true,
    meaning: 'the same for `localizations`',
  }),
  /**
   * An element of a dynamic zone that is not listed in `on`. `'stub'`: keeps `id` and `__component`. `'omit'`: leaves
   * the list.
   * @default 'stub'
   */
  unlistedZoneElements: choice(['stub', 'omit'], {
    changesBodies: true,
    meaning:
      'a zone element that is not listed in `on` keeps `id` and `__component` only, or leaves the list',
  }),
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
    values: "none; `['createdAt', 'updatedAt']`",
    meaning: 'attributes that are [private](definitions.md#private-attributes) in every type and component',
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
    {
      remedy: 'use (req) => role, or strapiAuth(…)',
      values: "`'public'` for all, function, `strapiAuth()`",
      meaning:
        'a role, a list of roles, `{ roles, asker }` or a promise of them; several: the union of their grants; `null`: 401',
    },
  ),
  /**
   * What each role may read: `{ public: { find: ['article'] } }`, a function that answers `true`, `false` or a rule, or
   * `fromDatabase()`. Nothing is granted unless it is said here.
   * @default {}
   */
  permissions: custom<PermissionsOption>({}, () => true, '', {
    values: 'none granted; table; `(role, uid, action) => boolean`; `fromDatabase()`',
    meaning:
      "per role `find`, `findOne` (where absent: as `find`), `drafts`: type names, `'*'`, or per type `true` or [a rule](permissions.md)",
  }),
  /**
   * What happens when `role`, `permissions` or a function of an extension throws, or returns something wrong. `'json'`: a 500 with
   * an id that the log has, too. `'next'`: the error goes on to your error handler.
   * @default 'json'
   */
  hostErrors: choice(['json', 'next'], {
    meaning:
      'what `role`, `permissions` or a function of an extension throws, or returns wrongly, is a [500 with an id](operations.md#errors-of-your-functions), or goes on to your error handler',
  }),
  /**
   * Who may ask `status=draft`. `'granted'`: roles with a `drafts` grant; others get a 403. `'open'`: all that may
   * find the type.
   * @default 'granted'
   */
  drafts: choice(['granted', 'open'], {
    // What drafts lead to is shown, or pruned, by it.
    changesBodies: true,
    meaning:
      'who may ask `status=draft`: roles with a `drafts` grant (else 403), or all that may find the type',
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
  limitsByRole: custom<Readonly<Record<string, RoleLimits>>>({}, isObject, 'is no table of limits by role', {
    values: 'none; `{ public: { maxDepth: 3, timeout: 2000 } }`',
    meaning: 'limits of [one role](operations.md#limits) in place of those of all',
  }) as Option<Readonly<Record<string, RoleLimits>>>,
  /**
   * Milliseconds after which an answer is given up, its statements are cancelled, and the answer is a 503.
   * `Infinity`: no limit.
   * @default 10_000
   */
  timeout: custom(10_000, isTime, 'is not a number of milliseconds', {
    remedy: 'Infinity: no limit',
    isPerRole: true,
    values: '10,000',
    meaning: 'milliseconds after which an answer is given up: its statements are cancelled, and it is a 503',
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
  etag: custom<boolean | undefined>(
    undefined,
    (value) => typeof value === 'boolean',
    'is neither true nor false',
    {
      values: 'with a cache; `true`, `false`',
      meaning: 'tags answers, and answers 304 before any content is read',
    },
  ),
  /**
   * `Cache-Control` and `Vary` of answers, by type, or for all under `'*'`: `{ article: { cacheControl: 'max-age=60'
   * } }`.
   * @default {}
   */
  headers: custom<Readonly<Record<string, TypeHeaders>>>({}, isObject, 'is no table of types', {
    remedy: `use { '*': { cacheControl } }`,
    values: "none; `{ article: { cacheControl: 'max-age=60', vary: ['Cookie'] } }`",
    meaning: '[`Cache-Control` and `Vary`](freshness.md#http) by type',
  }),
  /**
   * A path below the mount that is no route of the router. `'next'`: goes on to your app. `'json'`: a 404 in JSON.
   * @default 'next'
   */
  notFound: choice(['next', 'json'], {
    meaning: 'an unknown path below the mount goes on to your app, or is a 404 in JSON',
  }),
  /**
   * What happens to names at the top of a query that are no parameters. `'near'`: those that are nearly one, such as
   * `filter`, are a 400. `true`: all of them are. `false`: none.
   * @default 'near'
   */
  strictParameters: custom<'near' | boolean>(
    'near',
    (value) => value === 'near' || typeof value === 'boolean',
    `is neither 'near', true nor false`,
    {
      values: "`'near'`, `true`, `false`",
      meaning:
        'whether a parameter that is [nearly one](queries.md#names-that-are-no-parameters), such as `filter`, is a 400; every unknown one; or none',
    },
  ),
  /**
   * Allows `populate[x][pagination]`: pages of related entries.
   * @default false
   */
  nestedPagination: flag(false, { meaning: '[`populate[x][pagination]`](nested-pages.md)' }),
  ...localeOptions,
  /**
   * `'exact'`: texts are compared the same on every database, by code point. `'database'`: as the database does it.
   * @default 'exact'
   */
  textMatching: choice(['exact', 'database'], {
    changesBodies: true,
    meaning:
      'string comparison the same on every database (by code point; the `i` operators ignore case in Unicode; NULLs first in ascending order), or as the database does it',
  }),
} as const
