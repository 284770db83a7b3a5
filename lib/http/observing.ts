import type { Request, RequestHandler, Response } from 'express'
import { isYesOfHostAnswer } from '../access'
import type { ReadAction, RequestStart } from '../config'
import type { DialectName } from '../database'
import type { Model } from '../schema'
import { inTime } from './in-time'
import type { Complain } from './complainer'
import { hookComplainer, makeHooks } from './hooks'
import { isSentWhole, onceOver } from './once-over'
import { keepFromCaches, reasonOf } from './send'
import type { Settings } from './settings'
import { type Heard, startRecorder, type Recorder } from './recorder'

export interface Observing {
  /** To stand before everything that a request is answered by; nothing where the host observes nothing. */
  readonly begin: (model: Model, action: ReadAction) => readonly RequestHandler[]
  /** To stand where it is known that the role may read the type. */
  readonly askToExplain: readonly RequestHandler[]
  readonly of: (req: Request) => Recorder | null
  /** The same of a reading that no request asks for. */
  readonly follow: <T>(start: RequestStart, read: (recorder: Recorder | null) => Promise<T>) => Promise<T>
  /** Before the first byte of an answer, unless the host has answered itself. */
  readonly head: (req: Request, res: Response) => void
}

const nobody: Observing = {
  begin: () => [],
  askToExplain: [],
  of: () => null,
  follow: (_start, read) => read(null),
  head: () => undefined,
}

/** The host's word on a request. What fails is a no. */
async function agrees(complain: Complain, ask: () => Promise<unknown>): Promise<boolean> {
  try {
    return isYesOfHostAnswer('explain', await ask())
  } catch (error) {
    complain(error)
    return false
  }
}

function timingWanted(serverTiming: Settings['serverTiming'], complain: Complain): (req: Request) => boolean {
  if (typeof serverTiming === 'boolean') return () => serverTiming
  return (req) => {
    try {
      return isYesOfHostAnswer('serverTiming', serverTiming(req))
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

export function makeObserving(observed: Observed, database: DialectName): Observing {
  const { explain, serverTiming, timeout, logger } = observed
  const hooks = makeHooks(observed, logger)
  if (!hooks.areThere && explain === undefined && serverTiming === false) return nobody
  const known = new WeakMap<Request, Recorder>()
  const of = (req: Request): Recorder | null => known.get(req) ?? null
  const isTimed = timingWanted(serverTiming, hookComplainer('serverTiming', logger))
  const complain = hookComplainer('explain', logger)

  const begin = (model: Model, action: ReadAction): RequestHandler => {
    const start = { type: model.uid, action }
    return (req, res, next) => {
      let heard: Heard = []
      const recorder = startRecorder(start, database, () => heard)
      known.set(req, recorder)
      if (hooks.areThere) {
        onceOver(res, () => {
          recorder.ended(isSentWhole(req, res) ? res.statusCode : null, reasonOf(res))
        })
      }
      heard = hooks.begin(start, next)
    }
  }

  const askToExplain = (asked: NonNullable<Settings['explain']>): RequestHandler => {
    return async (req, res, next) => {
      if ((await agrees(complain, () => inTime(asked(req), timeout))) && !res.headersSent) {
        // An explanation is for its reader alone.
        keepFromCaches(res)
        of(req)?.explains()
      }
      next()
    }
  }

  return {
    begin: (model, action) => [begin(model, action)],
    askToExplain: explain === undefined ? [] : [askToExplain(explain)],
    of,
    follow: (start, read) => {
      if (!hooks.areThere) return read(null)
      let heard: Heard = []
      const recorder = startRecorder(start, database, () => heard)
      return new Promise((resolve, reject) => {
        heard = hooks.begin(start, () => {
          read(recorder).then(resolve, reject)
        })
      })
    },
    head: (req, res) => {
      const recorder = of(req)
      if (recorder === null || res.headersSent || !isTimed(req)) return
      // Others on the way may have told what took them time.
      res.append('Server-Timing', recorder.timing())
    },
  }
}
