import { timedOut } from '../errors'

/** Tells the reading for one answer to end: the time is up, or nobody waits for it any more. */
export interface Stop {
  /** Rejects once the reading shall end. */
  readonly stopped: Promise<never>
  readonly isStopped: () => boolean
  /** The time, as performance.now() tells it, at which it shall end. */
  readonly endsAt: () => number
  readonly stop: () => void
  /** The answer is there: nothing is left to stop. */
  readonly finish: () => void
}

export function makeStop(milliseconds: number): Stop {
  let reject: (reason: Error) => void = () => undefined
  const stopped = new Promise<never>((_resolve, fail) => {
    reject = fail
  })
  // Whoever reads races against it; between two reads nobody does.
  stopped.catch(() => undefined)
  const isLimited = Number.isFinite(milliseconds)
  const endsAt = isLimited ? performance.now() + milliseconds : Infinity
  let isOver = false
  let isFinished = false
  const stop = (): void => {
    // Every connection is closed some time; an error costs what it tells, whether anybody hears it or not.
    if (isFinished) return
    isOver = true
    reject(timedOut())
  }
  const timer = isLimited ? setTimeout(stop, milliseconds) : undefined
  return {
    stopped,
    isStopped: () => isOver,
    endsAt: () => endsAt,
    stop,
    finish: () => {
      isFinished = true
      clearTimeout(timer)
    },
  }
}
