// Comes in: a configuration. Goes out: an Express router that serves it. Refused: a configuration with faults, all of them
// at once, and requests without a role that may read what they ask for.
import type { Router } from 'express'
import { type CacheStats, isPermissionsSource, type Role } from './config'
import { type Database, openForReading, withoutAddress } from './database'
import { ConfigError } from './errors'
import { checkTables } from './tables'
import { letExplore } from './http/explored-router'
import type { PlainReader } from './reader'
import { readInside } from './http/read-inside'
import { trackRequests } from './http/queue'
import { type ContentRouterConfig, readSettings } from './http/settings'
import { settleRouter, type Settling } from './http/settle'

export { type Complain, complainer, withoutMessage } from './http/errors'
export { areTagged, version } from './http/content'
export { type ExploredRouter, exploredRouter } from './http/explored-router'
export {
  type ChangeRows,
  type CheckedCore,
  type BodySource,
  type Core,
  type CoreSettings,
  type Extension,
  type ExtensionReadRoute,
  type ExtensionRoute,
  type Observe,
  type RunningExtension,
  type SharedHeaders,
  servesIndex,
  typesOfRoutes,
} from './http/extension'
export type * from './http/observer'
export { migrate } from './http/migrate'
export type { QueryRewriting, RewriteQuery, RewrittenQuery } from './http/rewrite-query'
export { onceOver, keepFromCaches, sendError, sendToAsker } from './http/send'
export { type CoreRights, numberOf, type RouteManner } from './http/read-route'
export { type ShownRows, shownRowsOf, mayRead } from './http/rights'
export { type ContentRouterConfig, faultsOfConfig, type Settings } from './http/settings'
export { type Audience, type RoleTypes, takesTokens, toldTypes, typesShownTo } from './http/told-types'
export { faultsOfType, isPlainTable } from './http/wrong-permissions'

/** `Reader`: how reads in the process are typed, such as `ContentReader<Content>` of `express-content-router/client`. */
export interface ContentRouter<Reader extends object = PlainReader> extends Router {
  /** Reads in the process, with the rights of whoever is named: with the same limits, queue and cache, and without HTTP. */
  as(who: Exclude<Role, null>): Reader
  /** Compares the definitions with the real tables; rejects with everything that does not fit. */
  ready(): Promise<void>
  /** Finishes requests in flight, sends 503 for others, then closes the pool if the router opened it. */
  close(): Promise<void>
  readonly cache: {
    stats(): CacheStats
    clear(): void
  }
}

/**
 * A router that serves the content of `database` in the types of `contentTypes`: `app.use('/api', contentRouter(config))`.
 * Throws a `ConfigError` that lists every fault of the options and definitions; `ready()` looks at the tables.
 */
export function contentRouter<Reader extends object = PlainReader>(
  config: ContentRouterConfig,
): ContentRouter<Reader> {
  const settings = readSettings(config)
  const database = openForReading(config.database)
  const requests = trackRequests()
  const settling = settleRouter(settings, database, requests)
  // What extensions start runs from the beginning, not from the first request on.
  if (settings.extensions.some(({ start }) => start !== undefined)) settling.settled().catch(() => undefined)
  const as = readInside(settings, settling, requests)
  letExplore(settling, { settings, database, requests })
  return Object.assign(settling.router, {
    // Types of content are known to compilers alone.
    as: as as ContentRouter<object>['as'] as ContentRouter<Reader>['as'],
    cache: {
      stats: () => {
        const { responses, freshness } = settling.now().content
        const { isFollowing } = freshness
        const following = isFollowing === null ? {} : { isFollowing: isFollowing() }
        return { ...responses.stats(), questions: freshness.questions(), ...following }
      },
      clear: () => {
        const { responses, freshness } = settling.now().content
        responses.clear()
        freshness.totals.clear()
      },
    },
    ready: () => checked(settling, database).catch(raiseWithoutAddress),
    close: async () => {
      const finished = requests.finish()
      // Open responses of extensions would never end.
      await Promise.all([finished, settling.now().extensions.close()])
      await database.close()
    },
  })
}

async function checked({ settled }: Settling, database: Database): Promise<void> {
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

function raiseWithoutAddress(error: unknown): never {
  throw withoutAddress(error)
}
