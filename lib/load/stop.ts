import { setTimeout as pause } from 'node:timers/promises'
import { isPromise } from '../access'
import { abandoned, type RequestError, timedOut } from '../errors'
import { isBusy } from '../database'

const longestPause = 50

/**
 * While one connection writes, SQLite lets no other read, except in WAL mode. Its driver would wait by holding the process,
 * so it is told not to wait, and what it then refuses is tried again, at last after `patience` or until it is stopped.
 */
export async function whileBusy<T>(
  read: () => Promise<T>,
  { patience, stop }: { readonly patience: number; readonly stop?: Stop },
): Promise<T> {
  let end: number | undefined
  for (let next = 1; ; next = Math.min(2 * next, longestPause)) {
    try {
      return await read()
    } catch (error) {
      end ??= performance.now() + patience
      if (!isBusy(error) || performance.now() >= end) throw error
    }
    await (stop === undefined ? pause(next) : Promise.race([pause(next), stop.stopped]))
  }
}

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

/**
 * The result of a function of the host, within the time limit of a response. A session store that stalls must not hold a
 * request, or `close()`, for ever.
 */
export async function inTime<T>(answer: T | PromiseLike<T>, timeout: number): Promise<T> {
  if (!isPromise(answer)) return answer
  const stop = makeStop(timeout)
  return Promise.race([answer, stop.stopped]).finally(stop.finish)
}
