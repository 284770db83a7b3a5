import type { Logger } from '../config'
import { overloaded } from '../errors'
import type { Stop } from '../load'

export interface QueueLimits {
  readonly maxRunning: number
  readonly maxWaiting: number
}

/** Lets in so many at a time, lets so many wait for their turn in the order they came, and refuses the rest at once. */
export interface Queue {
  run<T>(stop: Stop, work: () => Promise<T>): Promise<T>
}

/** A flood of requests must not become a flood of log lines. */
const logAtMostEvery = 1000

function teller(logger: Logger, { maxRunning, maxWaiting }: QueueLimits): () => void {
  let refused = 0
  let toldAt = -Infinity
  return () => {
    refused += 1
    const now = Date.now()
    if (now - toldAt < logAtMostEvery) return
    logger.warn({ refused, running: maxRunning, waiting: maxWaiting }, 'the queue is full')
    refused = 0
    toldAt = now
  }
}

/** `turn`: what each waits for when it is let in. */
export function makeQueue(limits: QueueLimits, logger: Logger, turn?: () => Promise<void>): Queue {
  const { maxRunning, maxWaiting } = limits
  const waiting = new Set<(isLetIn: boolean) => void>()
  const tellRefused = teller(logger, limits)
  let running = 0

  /** False for whoever left before. */
  const wait = (stop: Stop): Promise<boolean> =>
    new Promise((resolve) => {
      waiting.add(resolve)
      stop.stopped.catch(() => {
        // Whoever has been let in holds a place, and gives it back when its work ends.
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
    run: async (stop, work) => {
      if (running < maxRunning) running += 1
      else if (waiting.size >= maxWaiting) {
        tellRefused()
        throw overloaded()
      } else if (!(await wait(stop))) return stop.stopped
      try {
        if (turn !== undefined) await turn()
        return await work()
      } finally {
        leave()
      }
    },
  }
}
