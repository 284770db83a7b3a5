import { timedOut } from '../errors'
import { type Basis, keepableBy, type LeftState, type StateAnswer, type StateRead } from '../freshness'
import { makeStop, type OnConnection, type Stop } from '../load'
import type { Body, ReadBytes } from './body'
import type { Tag } from './tag'

/** Null where there is nothing to show. */
export type ReadBody = (stop: Stop, onConnection?: OnConnection) => Promise<ReadBytes | null>

export interface SharedAsking<Read> {
  /** Equal for requests that are to get the same answer. */
  readonly key: string
  readonly state: StateAnswer
  readonly read: Read
}

export type AskedReading = SharedAsking<ReadBody>

/** Reads for all that asked the same; null where there is nothing to show. */
export type ReadShared<Read, Shared> = (asked: SharedAsking<Read>, stop: Stop) => Promise<Shared | null>

/** What it takes to keep a body by the state that was asked for before it was read. */
export interface KeepingByState {
  readonly stateBehind: (read: StateRead) => Promise<LeftState | null>
  /** True if nothing in the basis changed between both states. */
  readonly isStillValid: (before: string, now: string, basis: Basis) => boolean
  readonly tagOf: (state: string, key: string) => Tag
}

/** What was learned on the connection that a body was read on. */
interface LearnedBehind {
  readonly left: LeftState | null
  readonly basis: Basis | null
}

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

/**
 * Of several servers behind one name, another may not yet have what the one that was asked has; and what is committed
 * while the body is read may be in it: it is right for those who were told of that state, which is never seen again, but its
 * tag would stand for two bodies.
 */
export const bodyByState =
  ({ stateBehind, isStillValid, tagOf }: KeepingByState): ReadShared<ReadBody, Body> =>
  async ({ key, state, read }, stop) => {
    const keepable = keepableBy(state)
    if (keepable === null) return unkept(await read(stop))
    const { id, server } = keepable
    let learned: LearnedBehind | undefined
    const learn: OnConnection = async (read) => {
      learned = {
        left: await stateBehind(read),
        basis: keepable.isStillValid === undefined ? null : read.from.basis(),
      }
    }
    const body = await read(stop, learn)
    const { left, basis } = learned ?? nothingLearned
    if (body === null || left?.server !== server) return unkept(body)
    const isOfState =
      left.id === id || (left.id !== null && basis !== null && isStillValid(id, left.id, basis))
    // By name: V8 gives each object that is spread and added to a shape of its own, which is half of what is kept beside a body.
    const { bytes, sources } = body
    const tag = isOfState ? tagOf(id, key) : null
    return { bytes, sources, state: { id, server }, basis, tag, encoded: {} }
  }

const nothingLearned: LearnedBehind = { left: null, basis: null }

/** What may not be kept. */
const unkept = (body: ReadBytes | null): Body | null =>
  body === null ? null : { ...body, state: null, basis: null, tag: null, encoded: {} }

/** `ready`: what it waits for before it begins. */
export function startReading<Read, Shared>(
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
export function isFor({ state, stop }: SharedReading<unknown>, asked: SharedAsking<unknown>): boolean {
  const keepable = keepableBy(state())
  return !stop.isStopped() && keepable !== null && keepable.id === keepableBy(asked.state)?.id
}

export async function wait<Shared>(reading: SharedReading<Shared>, stop: Stop): Promise<Shared | null> {
  reading.waiting += 1
  reading.waitedFor(stop.endsAt())
  try {
    return await Promise.race([reading.body, stop.stopped])
  } finally {
    reading.waiting -= 1
    if (reading.waiting === 0 && !reading.isOver()) reading.stop.stop()
  }
}
