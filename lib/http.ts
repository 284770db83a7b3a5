// Comes in: a configuration. Goes out: an Express router that serves it. Refused: a configuration with faults, all of them
// at once, and requests without a role that may read what they ask for.
import { Router } from 'express'
import type { CacheStats, ContentRouterConfig } from './config'
import { openForReading, withoutAddress } from './database'
import { checkTables } from './tables'
import { makeAuthorize } from './http/authorize'
import { makeContent } from './http/content'
import { answerErrors } from './http/errors'
import { addRoutes } from './http/routes'
import { readSettings } from './http/settings'
import { trackRequests } from './http/in-flight'
import { makeWatching } from './http/watching'

export interface ContentRouter extends Router {
  /** Compares the definitions with the real tables; rejects with everything that does not fit. */
  ready(): Promise<void>
  /** Finishes what is in flight and answers the rest with 503, then closes the pool if the router opened it. */
  close(): Promise<void>
  readonly cache: {
    stats(): CacheStats
    clear(): void
  }
}

export function contentRouter(config: ContentRouterConfig): ContentRouter {
  const settings = readSettings(config)
  const database = openForReading(config.database)
  const content = makeContent(settings, database)
  const router = Router()
  const requests = trackRequests()
  const watching = makeWatching(settings, database.dialect)
  addRoutes(router, content, makeAuthorize(content, watching), { track: requests.layer, watching })
  router.use(answerErrors(settings.logger))
  const { stats, clear } = content.answers
  return Object.assign(router, {
    cache: { stats, clear },
    ready: () =>
      checkTables(database, settings.schema, settings.logger).catch((error: unknown) => {
        throw withoutAddress(error)
      }),
    close: async () => {
      await requests.finish()
      await database.close()
    },
  })
}
