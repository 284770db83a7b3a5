// Input: the configuration of the host. Output: its types, and every option with its default. Rejected: wrong options,
// all at once. Faults that need the definitions are found in later rooms.
import type { DatabaseOption } from './database'
import type { Logger } from './config/permissions-option'
import type {
  definitionOptions,
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
export { isFunction, isTable, isText } from './config/option'
export * from './config/options'

/** The configuration of `migrate` and `seed`, and a part of the router's. */
export interface ContentTypesConfig extends GivenOptions<typeof definitionOptions> {
  /** Strapi 5 schema files: a folder, several folders, or definitions as objects. Subfolders are included. */
  readonly contentTypes: DefinitionSource
  /**
   * A Knex configuration, or your own Knex instance. The client is `mysql2` (MySQL and MariaDB), `pg` or
   * `better-sqlite3`.
   */
  readonly database: DatabaseOption
  /**
   * Receives errors and warnings through `debug`, `info`, `warn` and `error`, like pino. The default is the
   * console. `false` disables the log.
   */
  readonly logger?: Logger | false | undefined
  /** Features in addition to the core: `extensions: [openapi()]`. */
  readonly extensions?: readonly DefaultingExtension[]
}

export const readTypes = (config: ContentTypesConfig, logger?: Logger): Schema =>
  readSchema(config.contentTypes, logger, withDefaults(config))

export type QueryOptions = GivenOptions<typeof queryOptions>
export type PaginationOptions = GivenOptions<typeof paginationOptions>
export type QueueOptions = GivenOptions<typeof queueOptions>
export type CacheOptions = GivenOptions<typeof cacheOptions>

/** Since the router was made. */
export interface CacheStats {
  readonly entries: number
  readonly bytes: number
  /** Responses from the cache, and others. */
  readonly hits: number
  readonly misses: number
  /** Responses with status 304. */
  readonly notModified: number
  /** Requests that shared the reading of another. */
  readonly shared: number
  /** Checks of the database for new commits. */
  readonly questions: number
  /** True if an extension follows commits. Otherwise each commit invalidates all cached responses. */
  readonly isFollowing?: boolean
}

export interface CoreConfig
  extends
    ContentTypesConfig,
    GivenOptions<typeof shapeOptions>,
    GivenOptions<typeof localeOptions>,
    GivenOptions<typeof optionTable> {}

type QueryObject = Readonly<Record<string, unknown>>

/** Parts of a query as an object, as in Strapi's `populate`, `fields`, `sort` and `filters`. */
export interface TypeDefaults {
  /** Names, or an object with a query for each. */
  readonly populate?: string | readonly string[] | QueryObject
  /** Names of attributes. */
  readonly fields?: string | readonly string[]
  /** Keys such as `title` or `title:desc`. */
  readonly sort?: string | readonly (string | QueryObject)[] | QueryObject
  /** Conditions in addition to those of the request. */
  readonly filters?: QueryObject
}

/** A query of the host that clients send by its name. */
export interface NamedQuery {
  /** Its type: `article`, `api::article.article`. */
  readonly type: string
  /** The query, as it would stand in a URL. */
  readonly query: TypeDefaults & {
    readonly pagination?: Readonly<Record<string, unknown>>
    readonly locale?: string | readonly string[]
    readonly status?: 'published' | 'draft'
    readonly _q?: string
  }
  /**
   * Names of parameters, and where in the query their values go: `{ tag: 'filters.tags.slug.$eq' }`, or as in a URL,
   * `filters[tags][slug][$eq]`. A parameter is required unless the query holds a value there.
   */
  readonly parameters?: Readonly<Record<string, string>>
}

/** Queries of the host. Types, OpenAPI and the explorer show them. */
export interface AddedQueries {
  /** By name. */
  readonly queries?: Readonly<Record<string, NamedQuery>>
  /** By type, for requests that set none. */
  readonly defaults?: Readonly<Record<string, TypeDefaults>>
}
