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

export function makeQueue(
  { maxRunning, maxWaiting, maxWaitingWhileRefusing }: QueueLimits,
  { turn, now = () => performance.now() }: { turn?: () => Promise<void>; now?: () => number } = {},
) {
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
    /** Does the work once there is a place. */
    run: async <T>(stop: Deadline, work: () => Promise<T>): Promise<T> => {
      if (running < maxRunning) running += 1
      else if (isFull()) {
        refusedAt = now()
        throw overloaded
      } else if (!(await wait(stop))) return stop.stopped
      try {
        await turn?.()
        return await work()
      } finally {
        leave()
      }
    },
    /** Reads that run, and that wait for their turn. */
    load: () => ({ running, waiting: waiting.size }),
  }
}

export type Queue = ReturnType<typeof makeQueue>

export function trackRequests() {
  let count = 0
  let isEnding = false
  const waiting: (() => void)[] = []
  const end = (): void => {
    count -= 1
    if (count === 0) for (const resolve of waiting.splice(0)) resolve()
  }
  /** Counts a request; the function that it returns ends it. */
  const enter = (): (() => void) => {
    if (isEnding) throw closing()
    count += 1
    return end
  }
  /** Rejects requests as soon as the router closes, and requests to which the host has already sent headers. */
  const layer: RequestHandler = (_req, res, next) => {
    if (res.headersSent)
      throw new Error('The response headers were sent before the content router received the request')
    onceOver(res, enter())
    next()
  }
  return {
    /** True once the end was announced. */
    isEnding: () => isEnding,
    enter,
    layer,
    /** Announces the end; resolves once no request is in flight. */
    finish: async () => {
      isEnding = true
      if (count > 0) await new Promise<void>((resolve) => waiting.push(resolve))
    },
  }
}

export type InFlight = ReturnType<typeof trackRequests>
