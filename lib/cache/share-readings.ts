import { timedOut } from '../errors'
import { cacheableState, type KnownState } from '../freshness'
import { makeDeadline, type Deadline } from '../read'

/** The readings of one key. */
interface Lane<Shared> {
  underWay: SharedReading<Shared>
  next: SharedReading<Shared> | undefined
}

/** Milliseconds after which the next reading begins beside the one before it. */
const patience = 100

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

/** Equal requests share a reading that began after they came, or since whose beginning nothing was committed. */
export function shareReadings<Read, Shared>(
  read: ReadShared<Read, Shared>,
  keep?: (key: string, body: Shared) => void,
) {
  const lanes = new Map<string, Lane<Shared>>()
  let shared = 0

  const start = (request: SharedRequest<Read>, ready?: Promise<void>): SharedReading<Shared> => {
    const { key } = request
    const reading = startReading(request, read, ready)
    void reading.body
      .catch(() => null)
      .then((body) => {
        const lane = lanes.get(key)
        if (lane?.underWay === reading && lane.next === undefined) lanes.delete(key)
        if (body !== null) keep?.(key, body)
      })
    return reading
  }

  const startNext = (lane: Lane<Shared>, request: SharedRequest<Read>): SharedReading<Shared> => {
    const ready = after(lane.underWay).then(() => {
      if (lane.next !== next) return
      lane.underWay = next
      lane.next = undefined
    })
    const next = start(request, ready)
    return (lane.next = next)
  }

  const readingFor = (request: SharedRequest<Read>): SharedReading<Shared> => {
    const lane = lanes.get(request.key)
    if (lane === undefined) {
      const underWay = start(request)
      lanes.set(request.key, { underWay, next: undefined })
      return underWay
    }
    if (lane.next !== undefined && !lane.next.stop.isStopped()) {
      lane.next.state = request.state
      shared += 1
      return lane.next
    }
    if (!isFor(lane.underWay, request)) return startNext(lane, request)
    shared += 1
    return lane.underWay
  }

  return {
    share: (request: SharedRequest<Read>, stop: Deadline) => wait(readingFor(request), stop),
    /** Number of requests that joined the reading of another. */
    shared: () => shared,
  }
}

export interface SharedRequest<Read> {
  /** Equal for requests with equal responses. */
  readonly key: string
  readonly state: KnownState
  readonly read: Read
}

/** Reads for all equal requests; null for a missing entry. */
export type ReadShared<Read, Shared> = (
  request: SharedRequest<Read>,
  stop: Deadline,
) => Promise<Shared | null>

/** One reading for all requests that wait for it. It stops when the last of them has gone. */
interface SharedReading<Shared> {
  waiting: number
  /** The state that the last request before its beginning got. */
  state: KnownState
  /** The latest deadline of its requests. */
  endsAt: number
  isOver: boolean
  readonly stop: Deadline
  readonly body: Promise<Shared | null>
}

function startReading<Read, Shared>(
  request: SharedRequest<Read>,
  read: ReadShared<Read, Shared>,
  ready?: Promise<void>,
): SharedReading<Shared> {
  const progress = { waiting: 0, state: request.state, endsAt: -Infinity, isOver: false }
  const stop = { ...makeDeadline(Infinity), endsAt: () => progress.endsAt }
  const begin = async (): Promise<Shared | null> => {
    if (stop.isStopped()) throw timedOut()
    return read({ ...request, state: progress.state }, stop)
  }
  const body = (ready === undefined ? begin() : ready.then(begin)).finally(() => {
    progress.isOver = true
  })
  // Once all requests have gone, nothing handles a failure.
  body.catch(() => undefined)
  return Object.assign(progress, { stop, body })
}

/** True if nothing was committed between the beginning of the reading and the request. */
function isFor({ state, stop }: SharedReading<unknown>, request: SharedRequest<unknown>): boolean {
  const keepable = cacheableState(state)
  return !stop.isStopped() && keepable !== null && keepable.id === cacheableState(request.state)?.id
}

async function wait<Shared>(reading: SharedReading<Shared>, stop: Deadline): Promise<Shared | null> {
  reading.waiting += 1
  reading.endsAt = Math.max(reading.endsAt, stop.endsAt())
  try {
    return await Promise.race([reading.body, stop.stopped])
  } finally {
    reading.waiting -= 1
    if (reading.waiting === 0 && !reading.isOver) reading.stop.stop()
  }
}
