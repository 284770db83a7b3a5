import { Router } from 'express'
import type { Database } from '../database'
import { ownConnection, unprepared } from '../load'
import { makeAuthorize } from './authorize'
import { type Content, makeContent } from './content'
import { answerErrors } from './errors'
import type { Core } from './extension'
import type { InFlight } from './in-flight'
import { addRoutes } from './routes'
import type { Settings } from './settings'
import { makeObserving, type Observing } from './observing'
import { type RunningExtensions, startExtensions } from './start-extensions'

/** One schema served: its routes, and what stands behind them. */
export interface Serving {
  readonly router: Router
  readonly content: Content
  readonly extensions: RunningExtensions
  readonly observing: Observing
}

export function serve(settings: Settings, database: Database, requests: InFlight): Serving {
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
