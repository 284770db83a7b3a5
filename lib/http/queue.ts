import type { RequestHandler } from 'express'
import type { Logger } from '../config'
import { overloaded, closing } from '../errors'
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
  /** Resolves once there is a place, with what gives it back. */
  enter(stop: Deadline): Promise<() => void>
}

function teller(logger: Logger, { maxRunning, maxWaiting }: QueueLimits): () => void {
  let refused = 0
  let toldAt = -Infinity
  return () => {
    refused += 1
    const now = performance.now()
    // Requests that are refused must not flood the log.
    if (now - toldAt < 1000) return
    const facts = { refused, running: maxRunning, waiting: maxWaiting, reason: 'queue' }
    logger.warn(facts, 'the queue is full')
    refused = 0
    toldAt = now
  }
}

export function makeQueue(
  limits: QueueLimits,
  logger: Logger,
  { turn, now = () => performance.now() }: { turn?: () => Promise<void>; now?: () => number } = {},
): Queue {
  const { maxRunning, maxWaiting, maxWaitingWhileRefusing } = limits
  const waiting = new Set<(isLetIn: boolean) => void>()
  const tellRefused = teller(logger, limits)
  let refusedAt = -Infinity
  let running = 0

  const isFull = (): boolean =>
    waiting.size >= maxWaitingWhileRefusing && (waiting.size >= maxWaiting || now() - refusedAt < refusingFor)

  const refuse = (): never => {
    refusedAt = now()
    tellRefused()
    throw overloaded
  }

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
      else if (isFull()) refuse()
      else if (!(await wait(stop))) return stop.stopped
      if (turn !== undefined) await turn()
      return leave
    },
  }
}

export interface InFlight {
  /** Refuses what comes after the end was announced, and what the host has begun to answer. */
  readonly layer: RequestHandler
  /** The same of what is no request; to be called is what it answers, once that is over. */
  enter(): () => void
  /** Announces the end; resolves once no request is being answered. */
  finish(): Promise<void>
}

export function trackRequests(): InFlight {
  let count = 0
  let isEnding = false
  let waiting: (() => void)[] = []
  const end = (): void => {
    count -= 1
    if (count > 0) return
    for (const resolve of waiting) resolve()
    waiting = []
  }
  const enter = (): (() => void) => {
    if (isEnding) throw closing()
    count += 1
    return end
  }
  return {
    enter,
    layer: (_req, res, next) => {
      if (res.headersSent) {
        next(new Error('The head of the answer was sent before the content router was asked'))
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
    finish: () => {
      isEnding = true
      return count === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting.push(resolve)
          })
    },
  }
}
