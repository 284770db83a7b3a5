import type { RequestHandler } from 'express'
import { closing, overloaded } from '../errors'
import type { Deadline } from '../read'
import { onceOver } from './send'

export interface QueueLimits {
  readonly maxRunning: number
  readonly maxWaiting: number
  /** While it is refusing: under steady overload a request need not wait behind a burst that came before it. */
  readonly maxWaitingWhileRefusing: number
}

/** Overload comes in waves: each would begin with a long queue if it were forgotten before the next. */
const refusingFor = 10_000

export interface Queue {
  /** Resolves once there is a place, with a function that gives it back. */
  enter(stop: Deadline): Promise<() => void>
  load(): QueueLoad
}

/** Reads that run, and that wait for their turn. */
export type QueueLoad = Readonly<Record<'running' | 'waiting', number>>

export function makeQueue(
  { maxRunning, maxWaiting, maxWaitingWhileRefusing }: QueueLimits,
  { turn, now = () => performance.now() }: { turn?: () => Promise<void>; now?: () => number } = {},
): Queue {
  const waiting = new Set<(isLetIn: boolean) => void>()
  let refusedAt = -Infinity
  let running = 0

  const isFull = (): boolean =>
    waiting.size >= maxWaitingWhileRefusing && (waiting.size >= maxWaiting || now() - refusedAt < refusingFor)

  /** False for a request that was stopped before its turn. */
  const wait = (stop: Deadline): Promise<boolean> =>
    new Promise((resolve) => {
      waiting.add(resolve)
      stop.stopped.catch(() => {
        // A request that was let in holds a place, and gives it back when its work ends.
        if (waiting.delete(resolve)) resolve(false)
      })
    })

  const leave = (): void => {
    const [next] = waiting
    if (next === undefined) running -= 1
    else {
      waiting.delete(next)
      next(true)
    }
  }

  return {
    enter: async (stop) => {
      if (running < maxRunning) running += 1
      else if (isFull()) {
        refusedAt = now()
        throw overloaded
      } else if (!(await wait(stop))) return stop.stopped
      if (turn !== undefined) await turn()
      return leave
    },
    load: () => ({ running, waiting: waiting.size }),
  }
}

export interface InFlight {
  /** Rejects requests as soon as the router closes, and requests to which the host has already sent headers. */
  readonly layer: RequestHandler
  /** True once the end was announced. */
  isEnding(): boolean
  /** Counts a read in the process; the function that it returns ends it. */
  enter(): () => void
  /** Announces the end; resolves once no request is in flight. */
  finish(): Promise<void>
}

export function trackRequests(): InFlight {
  let count = 0
  let isEnding = false
  const waiting: (() => void)[] = []
  const end = (): void => {
    count -= 1
    if (count === 0) for (const resolve of waiting.splice(0)) resolve()
  }
  const enter = (): (() => void) => {
    if (isEnding) throw closing()
    count += 1
    return end
  }
  return {
    isEnding: () => isEnding,
    enter,
    layer: (_req, res, next) => {
      if (res.headersSent) {
        next(new Error('The response headers were sent before the content router received the request'))
        return
      }
      if (isEnding) {
        next(closing())
        return
      }
      count += 1
      onceOver(res, end)
      next()
    },
    finish: async () => {
      isEnding = true
      if (count > 0) await new Promise<void>((resolve) => waiting.push(resolve))
    },
  }
}
