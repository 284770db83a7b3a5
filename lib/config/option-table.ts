import { definitionOptions } from './definition-options'
import { observationOptions } from './observation-options'
import type { FileUrlFunction } from './file-url-function'
import { choice, custom, type Filled, flag, group, groupOrOff, isFunction, isObject, limit } from './option'
import { projectCodeOptions } from './project-code-options'
import { queryOptions } from './query-options'
import type { PermissionsOption, RoleFunction, StrapiRoles, TypeHeaders } from './permissions-option'
import type { TypeDefaults } from './type-defaults'

const isTime = (value: unknown): boolean => typeof value === 'number' && value > 0
const isAge = (value: unknown): boolean => isTime(value) && value !== Infinity
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0
const isText = (value: unknown): boolean => typeof value === 'string'

const mebibyte = 1024 * 1024

const bounds = (byDefault: number, values: string, meaning: string): ReturnType<typeof custom<number>> =>
  custom(byDefault, isCount, 'is not a whole number from 1 on', { values, meaning })

export const paginationOptions = {
  defaultPageSize: limit(25, 1, {
    changesBodies: true,
    meaning: 'entries of a page, if no size is asked for',
  }),
  maxPageSize: limit(100, 1, {
    isPerRole: true,
    changesBodies: true,
    meaning: 'entries of a page at most; a larger size is cut to it',
  }),
  withCount: flag(true, {
    changesBodies: true,
    meaning: 'whether a page tells the total, if the request does not say',
  }),
} as const

/** What an answer to a role may cost, where that is not what it may cost to all. */
export type RoleLimits = Partial<
  Omit<Filled<typeof queryOptions>, 'from'> &
    Pick<Filled<typeof paginationOptions>, 'maxPageSize'> & { readonly timeout: number }
>

export const queueOptions = {
  /** How many answers are read at once; by default as many as the pool has connections. */
  maxRunning: custom<number | undefined>(
    undefined,
    (value) => value === Infinity || (Number.isInteger(value) && Number(value) >= 1),
    'is not a whole number from 1 on',
    { values: 'as many as the pool has connections', meaning: 'answers that are read at once' },
  ),
  /**
   * How many requests wait for their turn; those beyond are answered with 503 at once. By default 100 and, from the
   * moment that one was refused until none was for ten seconds, as many as run.
   */
  maxWaiting: custom<number | undefined>(
    undefined,
    (value) => value === Infinity || (Number.isInteger(value) && Number(value) >= 0),
    'is not a whole number from 0 on',
    {
      values: '100 in a burst, few under overload',
      meaning: 'requests that wait for that; those beyond are a 503 at once ([more](operations.md#load))',
    },
  ),
} as const

export const cacheOptions = {
  maxEntries: bounds(10_000, '10,000', 'answers that are kept'),
  /** Of bodies and what is needed to find them. */
  maxBytes: bounds(64 * mebibyte, '64 MB', 'bytes of the answers that are kept'),
  /** `strict`: every request asks whether anything was committed; else how many milliseconds old an answer may be. */
  freshness: custom<'strict' | number>(
    'strict',
    (value) => value === 'strict' || isAge(value),
    `is neither 'strict' nor a number of milliseconds`,
    { values: "`'strict'`, ms", meaning: 'how old an answer may be ([more](freshness.md))' },
  ),
  /** Sends what is kept in brotli or gzip to clients that take it, encoded once. */
  compress: flag(false, { meaning: 'whether answers are kept and sent compressed' }),
} as const

/** Every option but those that say where the content is. */
export const optionTable = {
  ...definitionOptions,
  /** Who asks. Several roles may do what any of them may; null is answered with 401. Without it all are `public`. */
  role: custom<RoleFunction | StrapiRoles>(
    () => 'public',
    (value) => isFunction(value) || (isObject(value) && 'source' in value),
    'is no function',
    {
      remedy: 'use (req) => role, or strapiAuth(…)',
      values: "`'public'` for all, function, `strapiAuth()`",
      meaning:
        'a role, a list of roles or a promise of them; several: the union of their grants; `null`: 401',
    },
  ),
  /** Checked where the definitions are known, whose types it names. */
  permissions: custom<PermissionsOption>({}, () => true, '', {
    values: 'none granted; table; `(role, uid, action) => boolean`; `fromDatabase()`',
    meaning: "per role `find`, `findOne` (where absent: as `find`), `drafts`: type names or `'*'`",
  }),
  /** Who answers what `role` and `permissions` throw, or answer wrongly. */
  hostErrors: choice(['json', 'next'], {
    meaning:
      'what `role`, `permissions` or `query.from` throws, or answers wrongly, is a [500 with an id](operations.md#errors-of-your-functions), or goes on to your error handler',
  }),
  projectCode: group(projectCodeOptions, 'is no table', `use { serve: ['article'] }`),
  drafts: choice(['granted', 'open'], {
    meaning:
      'who may ask `status=draft`: roles with a `drafts` grant (else 403), or all that may find the type',
  }),
  relations: choice(['flat', 'wrapped'], {
    changesBodies: true,
    meaning: 'entry or list put directly, or as `{ data: … }`',
  }),
  localizations: choice(['wrapped', 'flat'], {
    changesBodies: true,
    meaning: 'the same for `localizations`',
  }),
  unlistedZoneElements: choice(['stub', 'omit'], {
    changesBodies: true,
    meaning:
      'a zone element that is not listed in `on` keeps `id` and `__component` only, or leaves the list',
  }),
  /** By type; checked where the definitions are known. */
  defaults: custom<Readonly<Record<string, TypeDefaults>>>({}, isObject, 'is no table of types', {
    remedy: 'use { article: { populate } }',
    changesBodies: true,
    values: 'none; `{ article: { populate: { author: true } } }`',
    meaning: 'what requests of a type ask [where they do not say](#queries-of-your-own)',
  }),
  query: group(queryOptions, 'is no table of limits'),
  pagination: group(paginationOptions, 'is no table'),
  /** In place of the limits of all; of several roles the most generous of each limit. */
  limitsByRole: custom<Readonly<Record<string, RoleLimits>>>({}, isObject, 'is no table of limits by role', {
    values: 'none; `{ public: { maxDepth: 3, timeout: 2000 } }`',
    meaning: 'limits of [one role](operations.md#limits) in place of those of all',
  }),
  /** Milliseconds after which an answer is given up, its statements cancelled, and 503 answered. */
  timeout: custom(10_000, isTime, 'is not a number of milliseconds', {
    remedy: 'Infinity: no limit',
    isPerRole: true,
    values: '10,000',
    meaning: 'milliseconds after which an answer is given up: its statements are cancelled, and it is a 503',
  }),
  queue: group(queueOptions, 'is no table of limits', 'use { maxRunning, maxWaiting }'),
  /** Keeps answers in memory for as long as the database says that nothing was committed since. */
  cache: groupOrOff(cacheOptions, 'is neither false nor an object', `use { freshness: 'strict' }`),
  /** An `ETag` for every answer, with which a client can ask whether it still holds. By default where there is a cache. */
  etag: custom<boolean | undefined>(
    undefined,
    (value) => typeof value === 'boolean',
    'is neither true nor false',
    {
      values: 'with a cache; `true`, `false`',
      meaning: 'tags answers, and answers 304 before any content is read',
    },
  ),
  /** By type, or for all under `*`. */
  headers: custom<Readonly<Record<string, TypeHeaders>>>({}, isObject, 'is no table of types', {
    remedy: `use { '*': { cacheControl } }`,
    values: "none; `{ article: { cacheControl: 'max-age=60', vary: ['Cookie'] } }`",
    meaning: '[`Cache-Control` and `Vary`](freshness.md#http) by type',
  }),
  /** Who answers paths below the mount that are no routes of the router. */
  notFound: choice(['next', 'json'], {
    meaning: 'an unknown path below the mount goes on to your app, or is a 404 in JSON',
  }),
  /** Asked of every file that an answer shows, which is kept nowhere then. */
  fileUrl: custom<FileUrlFunction | undefined>(undefined, isFunction, 'is no function', {
    values: 'none; `(file) => url`',
    meaning:
      'the address that a file of [a private provider](strapi.md#files-of-private-providers) is shown with',
  }),
  /** Lists at the path of the mount what the asking role may read. */
  index: flag(false, {
    meaning: '`GET` of the mount itself lists [what the role may read](queries.md#what-there-is-to-read)',
  }),
  /** What is refused of the names at the top of a query that are no parameters. */
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
  /** Allows `populate[x][pagination]`. */
  nestedPagination: flag(false, { meaning: '[`populate[x][pagination]`](nested-pages.md)' }),
  defaultLocale: custom<string | undefined>(undefined, isText, 'is no code of a locale', {
    changesBodies: true,
    values: "Strapi's setting where it is there, else `'en'`; a code",
    meaning: 'the locale of requests that name none',
  }),
  textMatching: choice(['exact', 'database'], {
    changesBodies: true,
    meaning:
      'string comparison the same on every database (by code point; the `i` operators ignore case in Unicode; NULLs first in ascending order), or as the database does it',
  }),
  /** One state of the database for all of an answer, or for each of its statements. */
  consistency: choice(['snapshot', 'relaxed'], {
    meaning: 'all statements of an answer see one state of the database, or each its own',
  }),
  /** Of a list of servers, one that is further behind is left out. */
  maxLag: custom(Infinity, isTime, 'is not a number of milliseconds', {
    values: 'no limit; ms',
    meaning:
      'how far one of [several servers](databases.md#several-servers) may be behind before it is left out',
  }),
  preparedStatements: flag(true, {
    meaning:
      '`false` where [a pooler](databases.md#poolers-and-balancers) hands connections out by the transaction',
  }),
  /** Keeps what Strapi's way of loading leaves in its answers; docs/strapi.md lists it. */
  strapiArtefacts: flag(false, {
    changesBodies: true,
    meaning: "keeps [what Strapi's way of loading leaves](strapi.md) in its answers",
  }),
  ...observationOptions,
} as const
