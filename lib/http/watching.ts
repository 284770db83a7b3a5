import type { Request, RequestHandler, Response } from 'express'
import type { Logger, ReadAction } from '../config'
import type { DialectName } from '../database'
import type { Model } from '../schema'
import { complainer, type Complain, makeHooks } from './hooks'
import type { Observing } from './observing'
import { type Heard, startWatch, type Watch } from './watch'

export interface Watching {
  /** To stand before everything that a request is answered by; nothing where nobody wants to know. */
  readonly begin: (model: Model, action: ReadAction) => readonly RequestHandler[]
  /** To stand where it is known that the role may read the type. */
  readonly askToExplain: readonly RequestHandler[]
  readonly of: (req: Request) => Watch | null
  /** Before the first byte of an answer. */
  readonly head: (req: Request, res: Response) => void
}

const nobody: Watching = { begin: () => [], askToExplain: [], of: () => null, head: () => undefined }

/** The host's word on a request. What fails is a no, and so is whatever is merely truthy. */
async function agrees(complain: Complain, ask: () => boolean | Promise<boolean>): Promise<boolean> {
  try {
    const answer: unknown = await ask()
    return answer === true
  } catch (error) {
    complain(error)
    return false
  }
}

function timingWanted(
  serverTiming: Observing['serverTiming'],
  complain: Complain,
): (req: Request) => boolean {
  if (typeof serverTiming === 'boolean') return () => serverTiming
  return (req) => {
    try {
      const answer: unknown = serverTiming(req)
      return answer === true
    } catch (error) {
      complain(error)
      return false
    }
  }
}

export function makeWatching(observing: Observing, database: DialectName, logger: Logger): Watching {
  const { explain, serverTiming } = observing
  const hooks = makeHooks(observing, logger)
  if (!hooks.areThere && explain === null && serverTiming === false) return nobody
  const known = new WeakMap<Request, Watch>()
  const of = (req: Request): Watch | null => known.get(req) ?? null
  const isTimed = timingWanted(serverTiming, complainer('serverTiming', logger))
  const complain = complainer('explain', logger)

  const begin = (model: Model, action: ReadAction): RequestHandler => {
    const start = { type: model.uid, action }
    return (req, res, next) => {
      let heard: Heard = []
      const watch = startWatch(start, database, () => heard)
      known.set(req, watch)
      if (hooks.areThere) {
        res.once('close', () => {
          watch.ended(res.writableFinished ? res.statusCode : null)
        })
      }
      heard = hooks.begin(start, next)
    }
  }

  const askToExplain = (asked: NonNullable<Observing['explain']>): RequestHandler => {
    return async (req, res, next) => {
      if (await agrees(complain, () => asked(req))) {
        // It is for whoever asked alone, whatever stands between us.
        res.setHeader('Cache-Control', 'private, no-store')
        of(req)?.explains()
      }
      next()
    }
  }

  return {
    begin: (model, action) => [begin(model, action)],
    askToExplain: explain === null ? [] : [askToExplain(explain)],
    of,
    head: (req, res) => {
      const watch = of(req)
      if (watch !== null && isTimed(req)) res.setHeader('Server-Timing', watch.timing())
    },
  }
}
