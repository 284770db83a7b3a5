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
import { type DefaultingExtension, withDefaults } from './config/fill-options'
import type { GivenOptions } from './config/option'
import { type DefinitionSource, readSchema, type Schema } from './schema'

export type * from './config/added-queries'
export { type RoleLimits, mostFallbacks } from './config/option-table'
export * from './config/permissions-option'
export { isFunction, isTable, isText } from './config/option'
export {
  checkConfigObject,
  problemOfNoObject,
  faultsOfLogger,
  loggerOf,
  faultsOfOptions,
  faultsOfDefaults,
} from './config/option-faults'
export {
  bodyChanging,
  type DefaultingExtension,
  faultsOfDefaultOptions,
  type FilledOptions,
  fillOptions,
  limitOptions,
  type OptionDefaults,
  withDefaults,
} from './config/fill-options'

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
