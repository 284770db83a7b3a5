// Input: the configuration of the host. Output: its types, and every option with its default. Rejected: wrong options,
// all at once. Faults that need the definitions are found in later rooms.
import type { DatabaseOption } from './database'
import type { Logger } from './config/permissions-option'
import type {
  localeOptions,
  shapeOptions,
  optionTable,
  cacheOptions,
  paginationOptions,
  queryOptions,
  queueOptions,
} from './config/option-table'
import type { GivenOptions } from './config/option'
import { type DefaultingExtension, withDefaults } from './config/options'
import { type DefinitionSource, readSchema, type Schema } from './schema'

export { type RoleLimits, mostFallbacks } from './config/option-table'
export * from './config/permissions-option'
export { isFunction, isPromise, isTable } from './config/option'
export * from './config/options'

/** The configuration of `migrate` and `seed`, and a part of the router's. */
export interface ContentTypesConfig {
  /** Selects Strapi 5 schema files: one or more folders, or definitions as objects. The router reads subfolders. */
  readonly contentTypes: DefinitionSource
  /**
   * Connects to the database: a Knex configuration, or your Knex instance. The client is `mysql2` (MySQL and MariaDB),
   * `pg` or `better-sqlite3`.
   */
  readonly database: DatabaseOption
  /**
   * Receives log messages by its methods `debug`, `info`, `warn` and `error`. A pino logger fits. The default is the
   * console. `false` disables the log.
   */
  readonly logger?: Logger | false | undefined
  /** Adds features to the core: `extensions: [openapi()]`. */
  readonly extensions?: readonly DefaultingExtension[]
}

export const readTypes = (config: ContentTypesConfig, logger?: Logger): Schema =>
  readSchema(config.contentTypes, logger, withDefaults(config))

export type QueryOptions = GivenOptions<typeof queryOptions>
export type PaginationOptions = GivenOptions<typeof paginationOptions>
export type QueueOptions = GivenOptions<typeof queueOptions>
export type CacheOptions = GivenOptions<typeof cacheOptions>

/** Counts the uses of the cache since the router was created. */
export interface CacheStats {
  readonly entries: number
  readonly bytes: number
  /** Counts cached responses that newer ones replaced because the cache was full. */
  readonly evictions: number
  /** Counts cache hits. `misses` counts requests without a cached response. */
  readonly hits: number
  readonly misses: number
  /** Counts responses with status 304. */
  readonly notModified: number
  /** Counts requests that shared the statements of an equal request. */
  readonly shared: number
  /** Counts checks of the database for new commits. */
  readonly questions: number
  /** True if an extension follows commits. Otherwise each commit invalidates all cached responses. */
  readonly isFollowing?: boolean
  /** Bytes of WAL that PostgreSQL keeps for the change feed. Absent until they are known. */
  readonly retainedWal?: number
}

export interface CoreConfig
  extends
    ContentTypesConfig,
    GivenOptions<typeof shapeOptions>,
    GivenOptions<typeof localeOptions>,
    GivenOptions<typeof optionTable> {}

type QueryObject = Readonly<Record<string, unknown>>

/** Parts of a query as an object: `populate`, `fields`, `sort` and `filters`. */
export interface TypeDefaults {
  /** Names the relations to populate, or sets a query for each relation. */
  readonly populate?: string | readonly string[] | QueryObject
  /** Names the attributes to return. */
  readonly fields?: string | readonly string[]
  /** Lists the sort keys, such as `title` or `title:desc`. */
  readonly sort?: string | readonly (string | QueryObject)[] | QueryObject
  /** Sets conditions. The router adds them to the conditions of the request. */
  readonly filters?: QueryObject
}

/** A query that you define and that clients send by its name. */
export interface NamedQuery {
  /** Names the type of the entries: `article`, `api::article.article`. */
  readonly type: string
  /** Contains the query parameters as an object. */
  readonly query: TypeDefaults & {
    readonly pagination?: Readonly<Record<string, unknown>>
    readonly locale?: string | readonly string[]
    readonly status?: 'published' | 'draft'
    readonly _q?: string
  }
  /**
   * Maps names of parameters to positions in the query: `{ tag: 'filters.tags.slug.$eq' }`. The form of URLs works,
   * too: `filters[tags][slug][$eq]`. A parameter is optional only if `query` has a value at its position.
   */
  readonly parameters?: Readonly<Record<string, string>>
}

/** Queries of the host application. The generated types, OpenAPI and the explorer show them. */
export interface AddedQueries {
  /** Named queries by their names. */
  readonly queries?: Readonly<Record<string, NamedQuery>>
  /** Default parameters by type. They apply if a request does not set the parameter. */
  readonly defaults?: Readonly<Record<string, TypeDefaults>>
}
