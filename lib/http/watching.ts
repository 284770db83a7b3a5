import type { Request, RequestHandler, Response } from 'express'
import { readYes } from '../access'
import type { ReadAction } from '../config'
import type { DialectName } from '../database'
import type { Model } from '../schema'
import { inTime } from './in-time'
import { complainer, type Complain, makeHooks } from './hooks'
import { isSentWhole, onceOver } from './over'
import type { Settings } from './settings'
import { type Heard, startWatch, type Watch } from './watch'

export interface Watching {
  /** To stand before everything that a request is answered by; nothing where nobody wants to know. */
  readonly begin: (model: Model, action: ReadAction) => readonly RequestHandler[]
  /** To stand where it is known that the role may read the type. */
  readonly askToExplain: readonly RequestHandler[]
  readonly of: (req: Request) => Watch | null
  /** Before the first byte of an answer, unless that is somebody else's. */
  readonly head: (req: Request, res: Response) => void
}

const nobody: Watching = { begin: () => [], askToExplain: [], of: () => null, head: () => undefined }

/** The host's word on a request. What fails is a no. */
async function agrees(complain: Complain, ask: () => Promise<unknown>): Promise<boolean> {
  try {
    return readYes('explain', await ask())
  } catch (error) {
    complain(error)
    return false
  }
}

function timingWanted(serverTiming: Settings['serverTiming'], complain: Complain): (req: Request) => boolean {
  if (typeof serverTiming === 'boolean') return () => serverTiming
  return (req) => {
    try {
      return readYes('serverTiming', serverTiming(req))
    } catch (error) {
      complain(error)
      return false
    }
  }
}

type Observed = Pick<
  Settings,
  'onRequest' | 'onStatement' | 'tracing' | 'serverTiming' | 'explain' | 'timeout' | 'logger'
>

export function makeWatching(observed: Observed, database: DialectName): Watching {
  const { explain, serverTiming, timeout, logger } = observed
  const hooks = makeHooks(observed, logger)
  if (!hooks.areThere && explain === undefined && serverTiming === false) return nobody
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
        onceOver(res, () => {
          watch.ended(isSentWhole(req, res) ? res.statusCode : null)
        })
      }
      heard = hooks.begin(start, next)
    }
  }

  const askToExplain = (asked: NonNullable<Settings['explain']>): RequestHandler => {
    return async (req, res, next) => {
      if ((await agrees(complain, () => inTime(asked(req), timeout))) && !res.headersSent) {
        // It is for whoever asked alone, whatever stands between us.
        res.setHeader('Cache-Control', 'private, no-store')
        of(req)?.explains()
      }
      next()
    }
  }

  return {
    begin: (model, action) => [begin(model, action)],
    askToExplain: explain === undefined ? [] : [askToExplain(explain)],
    of,
    head: (req, res) => {
      const watch = of(req)
      if (watch === null || res.headersSent || !isTimed(req)) return
      // Others on the way may have told what took them time.
      res.append('Server-Timing', watch.timing())
    },
  }
}
