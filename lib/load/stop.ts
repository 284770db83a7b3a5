import { abandoned, type RequestError, timedOut } from '../errors'

/**
 * Tells the reading for one answer to end: its time is up, or the last client that waited for it has gone. An AbortSignal
 * knows no time at which it ends, and takes longer to wait with.
 */
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
  // Between two reads nothing races against it, and a rejection that is not handled would end the process.
  stopped.catch(() => undefined)
  const isLimited = Number.isFinite(milliseconds)
  const endsAt = isLimited ? performance.now() + milliseconds : Infinity
  let isOver = false
  let isFinished = false
  const endWith = (error: () => RequestError) => (): void => {
    // Every client's connection is closed some time: after an answer that is no reason to make an error.
    if (isFinished) return
    isOver = true
    reject(error())
  }
  const timer = isLimited ? setTimeout(endWith(timedOut), milliseconds) : undefined
  return {
    stopped,
    isStopped: () => isOver,
    endsAt: () => endsAt,
    stop: endWith(abandoned),
    finish: () => {
      isFinished = true
      clearTimeout(timer)
    },
  }
}
