import { setTimeout as pause } from 'node:timers/promises'
import { isPromise } from '../config'
import { abandoned, type RequestError, timedOut } from '../errors'
import { isBusy } from '../database'

const longestPause = 50

/** SQLite refuses reads while another connection writes, except in WAL mode. Its driver would block the process. */
export async function whileBusy<T>(
  read: () => Promise<T>,
  { patience, stop }: { readonly patience: number; readonly stop?: Deadline },
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

/** Ends the reading of a response. An AbortSignal has no deadline, and costs more to wait for. */
export interface Deadline {
  /** Rejects at the deadline, or once the last client has gone. */
  readonly stopped: Promise<never>
  readonly isStopped: () => boolean
  /** The deadline by performance.now(). */
  readonly endsAt: () => number
  /** Starts the time again: a response that is sent in parts has made progress. */
  readonly renew: () => void
  readonly stop: () => void
  readonly finish: () => void
}

export function makeDeadline(milliseconds: number): Deadline {
  let reject: (reason: Error) => void = () => undefined
  const stopped = new Promise<never>((_resolve, fail) => {
    reject = fail
  })
  // Between two reads nothing waits for it, and an unhandled rejection would end the process.
  stopped.catch(() => undefined)
  const isLimited = Number.isFinite(milliseconds)
  const later = (): number => (isLimited ? performance.now() + milliseconds : Infinity)
  let endsAt = later()
  let isOver = false
  let isFinished = false
  const endWith = (error: () => RequestError) => (): void => {
    // Clients disconnect after responses too, and an error costs time.
    if (isFinished) return
    isOver = true
    reject(error())
  }
  const timer = isLimited ? setTimeout(endWith(timedOut), milliseconds) : undefined
  return {
    stopped,
    isStopped: () => isOver,
    endsAt: () => endsAt,
    renew: () => {
      if (isOver || isFinished) return
      endsAt = later()
      timer?.refresh()
    },
    stop: endWith(abandoned),
    finish: () => {
      isFinished = true
      clearTimeout(timer)
    },
  }
}

/** The result of a function of the host. A session store that stalls must not block a request or `close()` for ever. */
export async function inTime<T>(answer: T | PromiseLike<T>, timeout: number): Promise<T> {
  if (!isPromise(answer)) return answer
  const stop = makeDeadline(timeout)
  return Promise.race([answer, stop.stopped]).finally(stop.finish)
}
