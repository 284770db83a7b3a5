import { type RequestHandler, Router } from 'express'
import { requestNeeds } from '../access'
import type { Database } from '../database'
import { remember } from '../freshness'
import { whileBusy, ownConnection, unprepared } from '../read'
import { settleSchema } from '../tables'
import { answerErrors, raiseLoadError } from './errors'
import { typesOfRoutes, type Core, type RunningExtensions, startExtensions } from './extension'
import type { InFlight } from './queue'
import { pathsOf, addRoutes } from './routes'
import type { Settings } from './settings'
import { makeAuthorize } from './authorize'
import { type Content, makeContent } from './content'
import { makeObserving, type Observing } from './observing'

/** One schema served: its routes, and what stands behind them. */
export interface Serving {
  readonly router: Router
  readonly content: Content
  readonly extensions: RunningExtensions
  /** Null without observers. */
  readonly observing: Observing | null
}

function serve(settings: Settings, database: Database, requests: InFlight): Serving {
  const onOwnConnection = ownConnection(database, unprepared, settings.timeout)
  const core: Core = {
    settings,
    database,
    ask: (sql) => onOwnConnection((run) => run(sql)),
    rightsOf: (req) => authorize.rightsOf(req),
    renewRights: (req) => authorize.anew(req),
  }
  const extensions = startExtensions(core)
  const content = makeContent(settings, database, extensions)
  const router = Router()
  const observing = makeObserving(core)
  const authorize = makeAuthorize(content, observing)
  addRoutes(router, content, { core, authorize, track: requests.layer, observing })
  router.use(answerErrors(settings))
  return { router, content, extensions, observing }
}

/** What is served, which may have to wait for what the database tells of the definitions. */
export interface Settling {
  readonly router: Router
  /** By what the definitions alone say, until the database was asked. */
  readonly now: () => Serving
  readonly settled: () => Promise<Serving>
}

/**
 * Definitions that name custom fields are served by the types that the database tells of these, which is asked before the
 * first answer; until it can be reached, nothing is answered that might be wrong.
 */
export function settleRouter(settings: Settings, database: Database, requests: InFlight): Settling {
  const { schema, logger, timeout } = settings
  if (schema.custom.length === 0) {
    const only = serve(settings, database, requests)
    return { router: only.router, now: () => only, settled: () => Promise.resolve(only) }
  }

  let first: Serving | null = null
  let last: Serving | null = null
  const settle = remember(async () => {
    const read = (): ReturnType<typeof settleSchema> => settleSchema(database, schema, logger)
    const whole = await whileBusy(read, { patience: timeout })
    last = serve(
      {
        ...settings,
        schema: whole,
        needs: requestNeeds(settings, whole, typesOfRoutes(settings.extensions)),
      },
      database,
      requests,
    )
    return last
  }, Infinity)
  const handle: RequestHandler = (req, res, next) => {
    if (last !== null) {
      last.router(req, res, next)
      return
    }
    requests.layer(req, res, (refusal?: unknown) => {
      if (refusal !== undefined) next(refusal)
      else
        settle()
          .catch(raiseLoadError)
          .then(({ router }) => {
            router(req, res, next)
          })
          .catch(next)
    })
  }
  const router = Router()
  // What is asked beside the types is answered by what stands behind, where the options ask for it.
  if (settings.notFound === 'json') router.use(handle)
  else router.all(pathsOf(settings), handle)
  router.use(answerErrors(settings))
  return {
    router,
    // Until then no extension starts: it would start a second time.
    now: () => last ?? (first ??= serve({ ...settings, extensions: [] }, database, requests)),
    settled: () => settle(),
  }
}
