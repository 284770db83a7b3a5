import { timedOut } from '../errors'

/** Tells the reading for one answer to end: the time is up, or nobody waits for it any more. */
export interface Stop {
  /** Rejects once the reading shall end. */
  readonly stopped: Promise<never>
  readonly isStopped: () => boolean
  readonly stop: () => void
  /** The answer is there: nothing is left to stop. */
  readonly finish: () => void
}

type Reject = (reason: Error) => void

/** Most answers need neither the promise nor the error: every client leaves in the end, and few before the answer. */
export function makeStop(milliseconds: number): Stop {
  let state: 'running' | 'stopped' | 'finished' = 'running'
  let stopped: Promise<never> | undefined
  let reject: Reject = () => undefined
  const makeStopped = (): Promise<never> => {
    const made = new Promise<never>((_resolve, fail) => {
      reject = fail
    })
    // Whoever reads races against it; between two reads nobody does.
    made.catch(() => undefined)
    if (state === 'stopped') reject(timedOut())
    return made
  }
  const stop = (): void => {
    if (state !== 'running') return
    state = 'stopped'
    if (stopped !== undefined) reject(timedOut())
  }
  const timer = Number.isFinite(milliseconds) ? setTimeout(stop, milliseconds) : undefined
  return {
    get stopped() {
      return (stopped ??= makeStopped())
    },
    isStopped: () => state === 'stopped',
    stop,
    finish: () => {
      if (state === 'running') state = 'finished'
      clearTimeout(timer)
    },
  }
}
