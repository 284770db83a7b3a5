// Comes in: what a host writes. Goes out: its types, and every option with its default. Refused: options that mean
// nothing, all of them at once; what needs the definitions or the roles of Strapi is checked by those who know them.
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

/** What the tables need to know: `migrate` and `seed` take this, and so a router's whole configuration. */
export interface ContentTypesConfig extends GivenOptions<typeof definitionOptions> {
  /**
   * Strapi 5's schema files: a folder, several folders, or definitions as objects. Folders are read with all below
   * them.
   */
  readonly contentTypes: DefinitionSource
  /**
   * Knex's configuration, or a Knex instance of your own. The client is `mysql2` (MySQL and MariaDB), `pg` or
   * `better-sqlite3`.
   */
  readonly database: DatabaseOption
  /**
   * Where errors and warnings are told: `debug`, `info`, `warn` and `error`, in pino's shape. Without it they are
   * printed; `false` prints nothing.
   */
  readonly logger?: Logger | false | undefined
  /** Features besides the core: `extensions: [openapi()]`. */
  readonly extensions?: readonly DefaultingExtension[]
}

/** The types of a configuration. */
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
  /** Requests that were answered from memory, and those that were not. */
  readonly hits: number
  readonly misses: number
  /** Requests that were told that what they have still holds. */
  readonly notModified: number
  /** Requests that were answered by what was read for another. */
  readonly shared: number
  /** How many times the database was asked whether anything was committed. */
  readonly questions: number
  /** Whether an extension knows what is committed. Where it does not, each commit invalidates all cached responses. */
  readonly isFollowing?: boolean
}

export interface CoreConfig
  extends
    ContentTypesConfig,
    GivenOptions<typeof shapeOptions>,
    GivenOptions<typeof localeOptions>,
    GivenOptions<typeof optionTable> {}
