import { timedOut } from '../errors'
import { keepableBy, type StateAnswer } from '../freshness'
import { makeStop, type Stop } from '../load'

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

interface SharedReadings<Read, Shared> {
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

export interface SharedAsking<Read> {
  /** Equal for requests that are to get the same answer. */
  readonly key: string
  readonly state: StateAnswer
  readonly read: Read
}

/** Reads for all that asked the same; null where there is nothing to show. */
export type ReadShared<Read, Shared> = (asked: SharedAsking<Read>, stop: Stop) => Promise<Shared | null>

/** One reading for all requests that wait for it. It ends when the last of them has gone. */
export interface SharedReading<Shared> {
  waiting: number
  /** The state as it was told to the last request that came before it began. */
  readonly state: () => StateAnswer
  /** Another request joins before it has begun. */
  readonly come: (state: StateAnswer) => void
  /** A request waits for it until then. */
  readonly waitedFor: (until: number) => void
  readonly stop: Stop
  readonly body: Promise<Shared | null>
  readonly isOver: () => boolean
}

/** `ready`: what it waits for before it begins. */
function startReading<Read, Shared>(
  asked: SharedAsking<Read>,
  read: ReadShared<Read, Shared>,
  ready?: Promise<void>,
): SharedReading<Shared> {
  let endsAt = -Infinity
  const stop = { ...makeStop(Infinity), endsAt: () => endsAt }
  let isOver = false
  let { state } = asked
  const begin = async (): Promise<Shared | null> => {
    if (stop.isStopped()) throw timedOut()
    return read({ ...asked, state }, stop)
  }
  const body = (ready === undefined ? begin() : ready.then(begin)).finally(() => {
    isOver = true
  })
  // Where all requests that waited have gone, a failure has no one to be told to.
  body.catch(() => undefined)
  return {
    waiting: 0,
    state: () => state,
    come: (later) => {
      state = later
    },
    waitedFor: (until) => {
      endsAt = Math.max(endsAt, until)
    },
    stop,
    body,
    isOver: () => isOver,
  }
}

/** Whether the answer of a reading that has begun is right for a request that came later: nothing has changed since. */
function isFor({ state, stop }: SharedReading<unknown>, asked: SharedAsking<unknown>): boolean {
  const keepable = keepableBy(state())
  return !stop.isStopped() && keepable !== null && keepable.id === keepableBy(asked.state)?.id
}

async function wait<Shared>(reading: SharedReading<Shared>, stop: Stop): Promise<Shared | null> {
  reading.waiting += 1
  reading.waitedFor(stop.endsAt())
  try {
    return await Promise.race([reading.body, stop.stopped])
  } finally {
    reading.waiting -= 1
    if (reading.waiting === 0 && !reading.isOver()) reading.stop.stop()
  }
}
