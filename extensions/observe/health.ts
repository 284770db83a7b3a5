import { type Response, Router } from 'express'
import { remember } from '../../lib/freshness'
import { type ContentRouter, exploredRouter } from '../../lib/http'
import { ConfigError } from '../../lib/errors'
import { faultsOfValues, type ValueCheck } from '../../lib/schema'

/** Contains the options of `health`. */
export interface HealthOptions {
  /**
   * Sets the time limit for the response of the database, in milliseconds.
   * @default 2000
   */
  readonly timeout?: number
}

/** Milliseconds for which probes share a result. */
const shared = 1000

const checks: Readonly<Record<keyof HealthOptions, ValueCheck>> = {
  timeout: {
    fits: (value) => typeof value === 'number' && value > 0,
    problem: 'the option timeout must be a number of milliseconds above 0',
  },
}

function send(res: Response, status: number, body: object): void {
  res.setHeader('Cache-Control', 'no-store')
  res.status(status).json(body)
}

/**
 * Creates a router for probes: `app.use(health(content))`. The path `/live` returns 200 as long as the process runs.
 * The path `/ready` returns 503 while the router closes, or while the database does not answer. A busy pool stays
 * ready. The body of the 503 contains the reason.
 */
export function health(content: ContentRouter<object>, options: HealthOptions = {}): Router {
  const inside = exploredRouter('health', content)
  const faults = faultsOfValues('health', options, checks)
  if (faults.length > 0) throw new ConfigError(faults)
  const { timeout = 2000 } = options
  const reason = remember(() => inside.unavailable(timeout), shared)
  const router = Router()
  router.get('/live', (_req, res) => {
    send(res, 200, { status: 'live' })
  })
  router.get('/ready', (_req, res, next) => {
    const answer = (why: string | null): void => {
      if (why === null) send(res, 200, { status: 'ready' })
      else send(res, 503, { status: 'unavailable', reason: why })
    }
    reason().then(answer).catch(next)
  })
  return router
}
