import type { Stop } from '../load'
import {
  type SharedAsking,
  isFor,
  type ReadShared,
  type SharedReading,
  startReading,
  wait,
} from './shared-reading'

/** What is under way for one key, and what begins after it. */
interface Lane<Shared> {
  underWay: SharedReading<Shared>
  next: SharedReading<Shared> | undefined
}

/** Milliseconds after which the next reading begins even though the one before it is still under way. */
const patience = 100

/** Once the reading is over, or has taken long enough. */
function after({ body }: SharedReading<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, patience)
    const done = (): void => {
      clearTimeout(timer)
      resolve()
    }
    body.then(done, done)
  })
}

/** What is asked for now goes next. */
function put<Shared>(lane: Lane<Shared>, next: SharedReading<Shared>): void {
  if (lane.next !== next) return
  lane.underWay = next
  lane.next = undefined
}

export interface SharedReadings<Read, Shared> {
  readonly share: (asked: SharedAsking<Read>, stop: Stop) => Promise<Shared | null>
  /** How many requests were answered by a reading that another had asked for. */
  readonly shared: () => number
}

/**
 * Identical requests are answered by one reading: by one that began after they came, or by one since whose beginning nothing
 * was committed. `keep` gets what was read.
 */
export function shareReadings<Read, Shared>(
  read: ReadShared<Read, Shared>,
  keep: (key: string, body: Shared) => void,
): SharedReadings<Read, Shared> {
  const lanes = new Map<string, Lane<Shared>>()
  let shared = 0

  const finish = (key: string, reading: SharedReading<Shared>) => (body: Shared | null) => {
    const lane = lanes.get(key)
    if (lane?.underWay === reading && lane.next === undefined) lanes.delete(key)
    if (body !== null) keep(key, body)
  }

  const start = (asked: SharedAsking<Read>, ready?: Promise<void>): SharedReading<Shared> => {
    const reading = startReading(asked, read, ready)
    void reading.body.catch(() => null).then(finish(asked.key, reading))
    return reading
  }

  const startNext = (lane: Lane<Shared>, asked: SharedAsking<Read>): SharedReading<Shared> => {
    const ready = after(lane.underWay).then(() => {
      put(lane, next)
    })
    const next = start(asked, ready)
    return (lane.next = next)
  }

  const readingFor = (asked: SharedAsking<Read>): SharedReading<Shared> => {
    const lane = lanes.get(asked.key)
    if (lane === undefined) {
      const underWay = start(asked)
      lanes.set(asked.key, { underWay, next: undefined })
      return underWay
    }
    if (lane.next !== undefined && !lane.next.stop.isStopped()) {
      lane.next.come(asked.state)
      shared += 1
      return lane.next
    }
    if (!isFor(lane.underWay, asked)) return startNext(lane, asked)
    shared += 1
    return lane.underWay
  }

  return { share: (asked, stop) => wait(readingFor(asked), stop), shared: () => shared }
}
