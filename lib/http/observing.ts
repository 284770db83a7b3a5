import type { Request, RequestHandler } from 'express'
import type { Logger, ReadAction } from '../config'
import type { Model } from '../schema'
import { complainer, withoutMessage, raiseTold } from './errors'
import type { Core } from './extension'
import type { ObservedEvent, RequestObserver, RequestStart, Stage } from './observer'
import { isSentWhole, onceOver, keepFromCaches, reasonOf } from './send'

export interface Observation {
  readonly emit: (event: ObservedEvent) => void
  readonly enter: (stage: Stage | null) => void
  readonly addsMeta: () => boolean
  /** Members for `meta`; null without any. */
  readonly meta: () => object | null
}

export interface Observing {
  readonly begin: (model: Model, action: ReadAction) => RequestHandler
  /** Layers after the role is known to be allowed to read the type. */
  readonly addMeta: readonly RequestHandler[]
  readonly of: (req: Request) => Observation | null
  /** The same of a reading that no request asks for. */
  readonly follow: <T>(start: RequestStart, read: (observation: Observation) => Promise<T>) => Promise<T>
}

interface Observed extends Observation {
  readonly proceed: (next: () => void) => void
  readonly askForMeta: (req: Request) => Promise<void>
}

type Attempt = <T>(call: () => T) => T | null

function observed(observers: readonly RequestObserver[], attempt: Attempt): Observed {
  let members: readonly (() => object)[] = []
  const emit: Observation['emit'] = (event) => {
    for (const { on } of observers)
      attempt(() => {
        on(event)
      })
  }
  return {
    emit,
    enter: (stage) => {
      emit({ kind: 'stage', stage })
    },
    addsMeta: () => members.length > 0,
    meta: () =>
      members.length === 0 ? null : (Object.assign({}, ...members.map((make) => make())) as object),
    proceed: (next) => {
      const steps = observers.flatMap(({ within }) => within ?? [])
      const whole = steps.reduceRight<() => void>((rest, within) => {
        return () => {
          within(rest)
        }
      }, next)
      whole()
    },
    askForMeta: async (req) => {
      const made = await Promise.all(observers.map(async ({ addMeta }) => addMeta?.(req)))
      members = made.flatMap((make) => make ?? [])
    },
  }
}

function attemptsLogged(logger: Logger): Attempt {
  const complain = complainer(logger, {
    message: 'an extension failed to observe a request; no answer was harmed',
    factsOf: (error) => ({ problem: withoutMessage(error) }),
    kindOf: withoutMessage,
  })
  return (call) => {
    try {
      return call()
    } catch (error) {
      complain(error)
      return null
    }
  }
}

/** Null without observers. */
export function makeObserving(core: Core): Observing | null {
  const { extensions, logger } = core.settings
  const hooks = extensions.flatMap(({ observe }) => observe ?? [])
  if (hooks.length === 0) return null
  const attempt = attemptsLogged(logger)
  const starts = hooks.map(({ follow }) => follow(core))
  const observe = (start: RequestStart): Observed =>
    observed(
      starts.flatMap((begin) => attempt(() => begin(start)) ?? []),
      attempt,
    )
  const known = new WeakMap<Request, Observed>()

  const begin = (start: RequestStart): RequestHandler => {
    return (req, res, next) => {
      const observation = observe(start)
      known.set(req, observation)
      onceOver(res, () => {
        const status = isSentWhole(req, res) ? res.statusCode : null
        observation.emit({ kind: 'end', status, reason: reasonOf(res) })
      })
      observation.proceed(next)
    }
  }

  const addMeta: RequestHandler = (req, res, next) => {
    const observation = known.get(req)
    Promise.resolve(observation?.askForMeta(req))
      .then(() => {
        if (observation?.addsMeta() === true) keepFromCaches(res)
        next()
      })
      .catch(raiseTold)
      .catch(next)
  }

  return {
    begin: (model, action) => begin({ type: model.uid, action }),
    addMeta: hooks.some(({ addsMeta }) => addsMeta) ? [addMeta] : [],
    of: (req) => known.get(req) ?? null,
    follow: (start, read) => {
      const observation = observe(start)
      return new Promise((resolve, reject) => {
        observation.proceed(() => {
          read(observation).then(resolve, reject)
        })
      })
    },
  }
}
