import type { Request, RequestHandler } from 'express'
import { makeFailureLog, raiseHostError, withoutMessage } from './errors'
import type { Core, ObservedEvent, RequestStart, Stage } from './extension'
import { isSentWhole, keepFromCaches, onceOver, reasonOf } from './send'

/** Begins the observation of a request. Errors of observers are logged, and change no response. */
function observeWith(core: Core) {
  const { extensions, logger } = core.settings
  const starts = extensions.flatMap(({ observe }) => observe?.follow(core) ?? [])
  const message = 'an extension failed to observe a request, but the response is not affected'
  const logFailure = makeFailureLog(logger, message, (error) => ({ problem: withoutMessage(error) }))
  const attempt = <T>(call: () => T): T | null => {
    try {
      return call()
    } catch (error) {
      logFailure(error)
      return null
    }
  }

  return (start: RequestStart) => {
    const observers = starts.flatMap((begin) => attempt(() => begin(start)) ?? [])
    let members: readonly (() => object)[] = []
    const emit = (event: ObservedEvent): void => {
      for (const { on } of observers)
        attempt(() => {
          on(event)
        })
    }
    return {
      emit,
      enter: (stage: Stage | null): void => {
        emit({ kind: 'stage', stage })
      },
      addsMeta: () => members.length > 0,
      /** Members for `meta`; null without any. */
      meta: () =>
        members.length === 0 ? null : (Object.assign({}, ...members.map((make) => make())) as object),
      proceed: (next: () => void): void => {
        const steps = observers.flatMap(({ within }) => within ?? [])
        const whole = steps.reduceRight<() => void>((rest, within) => {
          return () => {
            within(rest)
          }
        }, next)
        whole()
      },
      askForMeta: async (req: Request): Promise<void> => {
        const made = await Promise.all(observers.map(async ({ addMeta }) => addMeta?.(req)))
        members = made.flatMap((make) => make ?? [])
      },
    }
  }
}

type Observed = ReturnType<ReturnType<typeof observeWith>>
export type Observation = Pick<Observed, 'emit' | 'enter' | 'addsMeta' | 'meta'>

/** Null without observers. */
export function makeObserving(core: Core) {
  const { extensions } = core.settings
  if (extensions.every(({ observe }) => observe === undefined)) return null
  const observe = observeWith(core)
  const known = new WeakMap<Request, Observed>()

  const addMeta: RequestHandler = (req, res, next) => {
    const observation = known.get(req)
    Promise.resolve(observation?.askForMeta(req))
      .then(() => {
        if (observation?.addsMeta() === true) keepFromCaches(res)
        next()
      })
      .catch(raiseHostError)
      .catch(next)
  }

  return {
    begin:
      (start: RequestStart): RequestHandler =>
      (req, res, next) => {
        const observation = observe(start)
        known.set(req, observation)
        onceOver(res, () => {
          const status = isSentWhole(req, res) ? res.statusCode : null
          observation.emit({ kind: 'end', status, reason: reasonOf(res) })
        })
        observation.proceed(next)
      },
    /** Layers after the role is known to be allowed to read the type. */
    addMeta: extensions.some(({ observe }) => observe?.addsMeta === true) ? [addMeta] : [],
    of: (req: Request): Observation | null => known.get(req) ?? null,
    /** Observes a read in the process. */
    follow: <T>(start: RequestStart, read: (observation: Observation) => Promise<T>): Promise<T> => {
      const observation = observe(start)
      return new Promise((resolve, reject) => {
        observation.proceed(() => {
          read(observation).then(resolve, reject)
        })
      })
    },
  }
}

export type Observing = NonNullable<ReturnType<typeof makeObserving>>
