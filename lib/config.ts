// Input: the configuration of the host. Output: its types, and every option with its default. Rejected: wrong options,
// all at once. Faults that need the definitions are found in later rooms.
import type { DatabaseOption } from './database'
import type { Logger } from './config/permissions-option'
import type {
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

/** Contains the configuration of `migrate` and `seed`, which is a part of the router's configuration. */
export interface ContentTypesConfig {
  /** Selects Strapi 5 schema files: one or more folders with all subfolders, or definitions as objects. */
  readonly contentTypes: DefinitionSource
  /**
   * Sets the database: a Knex configuration, or your Knex instance. The value of `client` is `mysql2` (MySQL and
   * MariaDB), `pg` or `better-sqlite3`.
   */
  readonly database: DatabaseOption
  /**
   * Receives log messages with its methods `debug`, `info`, `warn` and `error`, such as a pino logger. By default, the
   * router logs to the console. Set `logger: false` to disable the log.
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

/** Counts the uses of the cache since the start of the router. */
export interface CacheStats {
  readonly entries: number
  readonly bytes: number
  /** Counts cached responses that newer responses replaced because the cache was full. */
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
  /** True if an extension follows commits. If `isFollowing` is false, each commit invalidates all cached responses. */
  readonly isFollowing?: boolean
  /** Contains the bytes of WAL that PostgreSQL retains for the change feed. Absent if the number is unknown. */
  readonly retainedWal?: number
}

export interface CoreConfig extends ContentTypesConfig, GivenOptions<typeof optionTable> {}

type QueryObject = Readonly<Record<string, unknown>>

/** Contains parts of a query as an object: `populate`, `fields`, `sort` and `filters`. */
export interface TypeDefaults {
  /** Names the relations to populate, or sets a query for each relation. */
  readonly populate?: string | readonly string[] | QueryObject
  /** Names the attributes to return. */
  readonly fields?: string | readonly string[]
  /** Lists the sort keys, such as `title` or `title:desc`. */
  readonly sort?: string | readonly (string | QueryObject)[] | QueryObject
  /** Sets conditions, which the router adds to the conditions of the request. */
  readonly filters?: QueryObject
}

/** A query that you define and that clients send by its name. */
export interface NamedQuery {
  /** Names the type of the entries, such as `article` or `api::article.article`. */
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
  /** Contains named queries by their names. */
  readonly queries?: Readonly<Record<string, NamedQuery>>
  /** Contains default parameters by type, for requests that do not set the parameter. */
  readonly defaults?: Readonly<Record<string, TypeDefaults>>
}
