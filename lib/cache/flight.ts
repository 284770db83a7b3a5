import { clockOf, type ReadAt } from '../database'
import { timedOut } from '../errors'
import { makeStop, type Stop } from '../load'
import type { Bytes } from '../shape'
import type { Body } from './body'
import {
  type ByClock,
  type Finding,
  nothing,
  type BodyAndClock,
  readBehind,
  type ReadBody,
  readTelling,
} from './read'

export interface AskedReading {
  /** Equal for requests that are to get the same answer. */
  readonly key: string
  /** Absent where no clock was asked. */
  readonly moment: ReadAt | undefined
  /** Null where there is no body. */
  readonly read: ReadBody
}

/** One reading for all who wait for it. It ends once nobody does. */
export interface Flight {
  waiting: number
  /** When somebody last came before it began, or the state that it reads; undefined as long as neither is known. */
  readonly moment: () => ReadAt | undefined
  /** Resolves once that is as well known as it will be. */
  readonly known: Promise<void>
  /** Somebody comes before it has begun. */
  readonly come: (moment: ReadAt | undefined) => void
  /** Somebody waits for it until then. */
  readonly waitedFor: (until: number) => void
  readonly stop: Stop
  readonly body: Promise<Body | null>
  readonly isOver: () => boolean
}

interface Departure {
  readonly byClock: ByClock | undefined
  /** What it is to wait for before it begins. */
  readonly ready?: Promise<void>
}

export function depart({ key, moment, read }: AskedReading, { byClock, ready }: Departure): Flight {
  let endsAt = -Infinity
  const stop = { ...makeStop(Infinity), endsAt: () => endsAt }
  let isOver = false
  let latest = moment
  let know = (): void => undefined
  const known = new Promise<void>((resolve) => {
    know = resolve
  })

  const tell = (moment: ReadAt): void => {
    latest = moment
    know()
  }
  const reading = async (): Promise<BodyAndClock> => {
    const readBody = (finding: Finding): Promise<Bytes | null> => read(stop, finding)
    if (byClock === undefined || latest === null) return { bytes: await readBody(nothing), clock: null }
    if (latest !== undefined) return readBehind(byClock, latest, readBody)
    return readTelling(byClock, key, readBody, tell)
  }
  const fly = async (): Promise<Body | null> => {
    if (stop.isStopped()) throw timedOut()
    const { bytes, clock } = await reading()
    if (bytes === null) return null
    const tag = clock === null ? null : (byClock?.tagOf(clock, key) ?? null)
    return { bytes, clock, tag, encoded: {} }
  }
  const body = (ready === undefined ? fly() : ready.then(fly)).finally(() => {
    isOver = true
    know()
  })
  // Where all who waited have gone, what goes wrong is told to nobody.
  body.catch(() => undefined)
  return {
    waiting: 0,
    moment: () => latest,
    known,
    come: (later) => {
      latest = later
    },
    waitedFor: (until) => {
      endsAt = Math.max(endsAt, until)
    },
    stop,
    body,
    isOver: () => isOver,
  }
}

/** Whether the answer of a reading that has begun is right for somebody who came later: nothing has changed since. */
export function isFor({ moment, stop }: Flight, asked: AskedReading): boolean {
  const clock = clockOf(moment() ?? null)
  return !stop.isStopped() && clock !== null && clock === clockOf(asked.moment ?? null)
}

export async function wait(flight: Flight, stop: Stop): Promise<Body | null> {
  flight.waiting += 1
  flight.waitedFor(stop.endsAt())
  try {
    return await Promise.race([flight.body, stop.stopped])
  } finally {
    flight.waiting -= 1
    if (flight.waiting === 0 && !flight.isOver()) flight.stop.stop()
  }
}
