// Comes in: what a host writes. Goes out: its types, and every option with its default. Refused: options that mean
// nothing, all of them at once; what needs the definitions or the roles of Strapi is checked by those who know them.
import type { DatabaseOption } from './database'
import type { Logger } from './config/host-values'
import type { FilledTable, GivenOptions } from './config/option'
import type {
  cacheOptions,
  optionTable,
  paginationOptions,
  queryOptions,
  queueOptions,
} from './config/option-table'
import type { DefinitionSource } from './schema'

export type * from './config/events'
export type * from './config/host-values'
export type { RoleLimits } from './config/option-table'
export { faultsOfOptions } from './config/check-options'
export { bodyChanging, fillOptions, limitOptions } from './config/filled-options'

/** What the tables need to know: `migrate` and `seed` take this, and so a router's whole configuration. */
export interface ContentTypesConfig {
  /** A folder, several folders, or definition objects. */
  readonly contentTypes: DefinitionSource
  readonly database: DatabaseOption
  readonly logger?: Logger
}

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
}

export interface ContentRouterConfig extends ContentTypesConfig, GivenOptions<typeof optionTable> {}

export type FilledOptions = FilledTable<typeof optionTable>
