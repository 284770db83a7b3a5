// Comes in: a configuration. Goes out: an Express router that serves it. Refused: a configuration with faults, all of
// them at once, and requests without a role that may read what they ask for.
import type { Router } from 'express'
import { requestNeeds } from './access'
import {
  type CacheStats,
  checkConfigObject,
  type ContentTypesConfig,
  fillOptions,
  isPermissionsSource,
  type Role,
  withDefaults,
} from './config'
import { type Database, openForReading, withoutAddress } from './database'
import { ConfigError } from './errors'
import { registerExplored } from './http/explored-router'
import { trackRequests } from './http/queue'
import { readInProcess } from './http/read-in-process'
import { findMissingIndexes, typesOfRoutes } from './http/run-extensions'
import { type ContentRouterConfig, faultsOfConfig, readSettings } from './http/settings'
import { settleRouter, type Settling } from './http/settle'
import type { PlainReader } from './reader'
import { faultsOfUnknown } from './schema'
import { checkTables, migrateTables, type MigrateOptions, type Migration } from './tables'

export { handleErrors, type LogFailure, makeFailureLog, raiseHostError } from './http/errors'
export { areTagged, version } from './http/content'
export { faultsOfType } from './http/check-permissions'
export type * from './http/explored-router'
export { exploredRouter, typesForRole, typesShownTo } from './http/explored-router'
export type * from './http/extension'
export { makePlanner, planRequest } from './http/plan-request'
export { contentManner, numberOf } from './http/routes'
export { findMissingIndexes, grantedReadings, servesIndex, typesOfRoutes } from './http/run-extensions'
export { onceOver, keepFromCaches, sendError, sendObject, sendPrivate } from './http/send'
export { mayRead } from './http/rights'
export { type ContentRouterConfig, faultsOfConfig, type Settings } from './http/settings'

/** An Express router with content. The type `Reader` is the result type of `as()`, such as `ContentReader<Content>`. */
export interface ContentRouter<Reader extends object = PlainReader> extends Router {
  /** Reads content with the rights of the given roles, without HTTP. The limits, queue and cache of requests apply. */
  as(who: Exclude<Role, null>): Reader
  /** Compares the definitions with the tables of the database. If there are differences, the promise rejects. */
  ready(): Promise<void>
  /** Finishes running requests, sends a 503 to new requests, and closes the pool if the router opened the pool. */
  close(): Promise<void>
  readonly cache: {
    stats(): CacheStats
    clear(): void
  }
}

/**
 * Creates a router that serves the content of `database`: `app.use('/api', contentRouter(config))`. Throws a
 * `ConfigError` that lists all faults of the options and definitions. Call `ready()` to check the tables, too.
 */
export function contentRouter<Reader extends object = PlainReader>(
  config: ContentRouterConfig,
): ContentRouter<Reader> {
  const settings = readSettings(config)
  const database = openForReading(config.database)
  const requests = trackRequests()
  const settling = settleRouter(settings, database, requests)
  // Extensions start with the router. Otherwise the first request would start them.
  if (settings.extensions.some(({ start }) => start !== undefined)) settling.settled().catch(() => undefined)
  const as = readInProcess(settings, settling, requests)
  registerExplored(settling, { settings, database, requests })
  return Object.assign(settling.router, {
    // Types of content are known to compilers alone.
    as: as as ContentRouter<object>['as'] as ContentRouter<Reader>['as'],
    cache: {
      stats: () => {
        const { responses, freshness } = settling.now().content
        const { follower } = freshness
        const retainedWal = follower?.retainedWal?.() ?? null
        return {
          ...{ ...responses.stats(), questions: freshness.questions() },
          ...(follower === null ? {} : { isFollowing: follower.isFollowing() }),
          ...(retainedWal === null ? {} : { retainedWal }),
        }
      },
      clear: () => {
        const { responses, freshness } = settling.now().content
        responses.clear()
        freshness.totals.clear()
      },
    },
    ready: () =>
      checkDatabase(settling, database).catch((error: unknown) => {
        throw withoutAddress(error)
      }),
    close: async () => {
      const finished = requests.finish()
      // Open responses of extensions would never end.
      await Promise.all([finished, settling.now().extensions.close()])
      await database.close()
    },
  })
}

async function checkDatabase({ settled }: Settling, database: Database): Promise<void> {
  const { content, extensions } = await settled()
  const { settings, freshness } = content
  const { schema, logger, permissions, needs } = settings
  await freshness.checkServer()
  const missing = await extensions.checkDatabase()
  if (missing.length > 0) throw new ConfigError(missing)
  await checkTables(database, schema, logger, needs)
  const faults = isPermissionsSource(permissions) ? await permissions.checkStored(database) : []
  if (faults.length > 0) throw new ConfigError(faults)
}

const migrateOptions: Readonly<Record<keyof MigrateOptions, true>> = {
  ...{ dryRun: true, strapiDatabase: true, adopt: true },
}

/**
 * Creates and extends the tables that the definitions and the router's options need. The function `migrate` never
 * removes or changes columns. You can repeat the call.
 */
export async function migrate(
  given: ContentTypesConfig & Partial<ContentRouterConfig>,
  options: MigrateOptions = {},
): Promise<Migration> {
  checkConfigObject(given)
  const config = withDefaults(given)
  // A misspelt `dryRun` must not change tables.
  const unknown = faultsOfUnknown('migrate', options, migrateOptions)
  const faults = [...faultsOfConfig(given, null), ...unknown]
  if (faults.length > 0) throw new ConfigError(faults)
  return migrateTables(config, options, {
    needsOf: (schema) => {
      const wrong = faultsOfConfig(given, schema)
      if (wrong.length > 0) throw new ConfigError(wrong)
      return requestNeeds(fillOptions(config), schema, typesOfRoutes(config.extensions))
    },
    missingIndexes: (schema, database) => findMissingIndexes(config.extensions ?? [], schema, database),
  })
}
