import type { Request } from 'express'
import type { RequestHook, StatementHook, Tracing } from './config/events'
import type { DatabaseOption } from './database'
import type { DefinitionSource } from './schema'

export type * from './config/events'

/** pino's shape. Called with an object of plain facts and a sentence; never with a value from a request or a row. */
export interface Logger {
  debug(facts: object, message: string): void
  info(facts: object, message: string): void
  warn(facts: object, message: string): void
  error(facts: object, message: string): void
}

export type Action = 'find' | 'findOne' | 'drafts'

/** Type names (`article`, `api::article.article`) or `*` for all. Where `findOne` is absent, it is as `find`. */
export type Grant = Readonly<Partial<Record<Action, readonly string[] | '*'>>>

export type PermissionTable = Readonly<Record<string, Grant>>
export type PermissionFunction = (role: string, uid: string, action: Action) => boolean

/** Permissions as Strapi's users-permissions plugin keeps them, read again every few seconds. Made by `fromDatabase()`. */
export interface DatabasePermissions {
  readonly source: 'database'
  readonly maxAge: number
}

export type PermissionsOption = PermissionTable | PermissionFunction | DatabasePermissions

export type Role = string | readonly string[] | null
export type RoleFunction = (req: Request) => Role | Promise<Role>

/** Who asks, told from the bearer tokens that a Strapi project hands out. Made by `strapiAuth()`. */
export interface StrapiRoles {
  readonly source: 'strapi'
  readonly jwtSecret: string
  readonly apiTokenSalt: string
  readonly maxAge: number
}

/** What the tables need to know: `migrate` and `seed` take this, and so a router's whole configuration. */
export interface ContentTypesConfig {
  /** A folder, several folders, or definition objects. */
  readonly contentTypes: DefinitionSource
  readonly database: DatabaseOption
  readonly logger?: Logger
}

export interface QueryOptions {
  /** The longest list in a query. */
  readonly arrayLimit?: number
  readonly maxParameters?: number
  readonly maxDepth?: number
  readonly maxNodes?: number
  readonly maxInValues?: number
  /** The longest text of a query, in characters. */
  readonly maxLength?: number
  /** The most entries that one answer shows, at all levels together. */
  readonly maxEntries?: number
}

/** What an answer to a role may cost, where that is not what it may cost to all. */
export interface RoleLimits extends QueryOptions {
  readonly maxPageSize?: number
  readonly timeout?: number
}

export interface PaginationOptions {
  readonly defaultPageSize?: number
  readonly maxPageSize?: number
  readonly withCount?: boolean
}

export interface QueueOptions {
  /** How many answers are read at once; by default as many as the pool has connections. */
  readonly maxRunning?: number
  /**
   * How many requests wait for their turn; those beyond are answered with 503 at once. By default 100 and, from the
   * moment that somebody was refused until nobody was for ten seconds, as many as run.
   */
  readonly maxWaiting?: number
}

export interface CacheOptions {
  readonly maxEntries?: number
  /** Of bodies and what is needed to find them. */
  readonly maxBytes?: number
  /** `strict`: every request asks whether anything was committed; else how many milliseconds old an answer may be. */
  readonly freshness?: 'strict' | number
  /** Sends what is kept in brotli or gzip to those who take it, encoded once. */
  readonly compress?: boolean
}

/** What browsers and caches on the way are told about answers of one type. */
export interface TypeHeaders {
  /** Directives of `Cache-Control`, such as `max-age=60`. `public` or `private` comes from the role. */
  readonly cacheControl?: string
  /** Request headers that answers depend on, such as the one that `role` reads. */
  readonly vary?: readonly string[]
  /** Answers to other roles than `public` may be kept by shared caches, too. */
  readonly shared?: boolean
}

/** Since the router was made. */
export interface CacheStats {
  readonly entries: number
  readonly bytes: number
  /** Requests that were answered from memory, and those that were not. */
  readonly hits: number
  readonly misses: number
  /** Requests that were told that what they have still holds. */
  readonly notModified: number
  /** Requests that were answered by what was read for another. */
  readonly shared: number
  /** How many times the database was asked whether anything was committed. */
  readonly questions: number
}

export interface ContentRouterConfig extends ContentTypesConfig {
  /** Who asks. Several roles may do what any of them may; null is answered with 401. Without it all are `public`. */
  readonly role?: RoleFunction | StrapiRoles
  readonly permissions?: PermissionsOption
  readonly drafts?: 'granted' | 'open'
  readonly relations?: 'flat' | 'wrapped'
  readonly localizations?: 'wrapped' | 'flat'
  readonly unlistedZoneElements?: 'stub' | 'omit'
  readonly query?: QueryOptions
  readonly pagination?: PaginationOptions
  /** In place of the limits of all; whoever has several roles has the most generous of each limit. */
  readonly limitsByRole?: Readonly<Record<string, RoleLimits>>
  /** Milliseconds after which an answer is given up, its statements cancelled, and 503 answered. */
  readonly timeout?: number
  readonly queue?: QueueOptions
  /** Keeps answers in memory for as long as the database says that nothing was committed since. */
  readonly cache?: false | CacheOptions
  /** An `ETag` for every answer, with which a client can ask whether it still holds. By default where there is a cache. */
  readonly etag?: boolean
  /** By type, or for all under `*`. */
  readonly headers?: Readonly<Record<string, TypeHeaders>>
  /** Allows `populate[x][pagination]`. */
  readonly nestedPagination?: boolean
  /** Told of every request once it is over. */
  readonly onRequest?: RequestHook
  /** Told of every statement once it is over. */
  readonly onStatement?: StatementHook
  /** Follows requests from beginning to end: `openTelemetry()` of `express-content-router/opentelemetry`. */
  readonly tracing?: Tracing
  /** Sends a `Server-Timing` header with how long each stage took. */
  readonly serverTiming?: boolean | ((req: Request) => boolean)
  /** Whether `meta.explain` tells whoever asks how the answer came about, and what their role is not shown and why. */
  readonly explain?: (req: Request) => boolean | Promise<boolean>
  readonly defaultLocale?: string
  readonly textMatching?: 'exact' | 'database'
  /** One state of the database for all of an answer, or for each of its statements. */
  readonly consistency?: 'snapshot' | 'relaxed'
  /** Keeps what Strapi's way of loading leaves in its answers; docs/strapi.md lists it. */
  readonly strapiArtefacts?: boolean
}
