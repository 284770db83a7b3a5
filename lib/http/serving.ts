import { Router } from 'express'
import type { Database } from '../database'
import { makeAuthorize } from './authorize'
import { type Content, makeContent } from './content'
import { answerErrors } from './errors'
import type { InFlight } from './in-flight'
import { addRoutes } from './routes'
import type { Settings } from './settings'
import { makeObserving, type Observing } from './observing'

/** One schema served: its routes, and what stands behind them. */
export interface Serving {
  readonly router: Router
  readonly content: Content
  readonly observing: Observing
}

export function serve(settings: Settings, database: Database, requests: InFlight): Serving {
  const content = makeContent(settings, database)
  const router = Router()
  const observing = makeObserving(settings, database.dialect)
  addRoutes(router, content, {
    authorize: makeAuthorize(content, observing),
    track: requests.layer,
    observing,
  })
  router.use(answerErrors(settings))
  return { router, content, observing }
}
