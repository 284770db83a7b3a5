import { clockOf, type ReadAt } from '../database'
import { timedOut } from '../errors'
import { makeStop, type OnConnection, type Stop } from '../load'
import type { Bytes } from '../shape'
import type { Body } from './body'
import type { Tag } from './tag'

export interface Asked {
  /** Equal for requests that are to get the same answer. */
  readonly key: string
  /** Absent where no clock was asked. */
  readonly moment: ReadAt | undefined
  /** Null where there is no body. */
  readonly read: (stop: Stop, onConnection?: OnConnection) => Promise<Bytes | null>
}

/** One reading for all who wait for it. It ends once nobody does. */
export interface Flight {
  waiting: number
  /** When somebody last came before it began. */
  readonly moment: () => ReadAt | undefined
  /** Somebody comes before it has begun. */
  readonly come: (moment: ReadAt | undefined) => void
  readonly stop: Stop
  readonly body: Promise<Body | null>
  readonly isOver: () => boolean
}

export type ServerOf = (...connection: Parameters<OnConnection>) => Promise<string | undefined>

/** What it takes to keep an answer. Absent where none is kept. */
export interface ByClock {
  readonly serverOf: ServerOf
  readonly tagOf: (clock: string, key: string) => Tag
}

interface Departure {
  readonly byClock: ByClock | undefined
  /** What it is to wait for before it begins. */
  readonly ready?: Promise<void>
}

export function depart({ key, moment, read }: Asked, { byClock, ready }: Departure): Flight {
  const stop = makeStop(Infinity)
  let isOver = false
  let latest = moment
  const fly = async (): Promise<Body | null> => {
    if (stop.isStopped()) throw timedOut()
    let server: string | undefined
    const meet: OnConnection = async (run, connection) => {
      server = await byClock?.serverOf(run, connection)
    }
    const bytes = await (latest ? read(stop, meet) : read(stop))
    if (bytes === null) return null
    // Of several servers behind one name, another may not yet have what the one that was asked has.
    const clock = server === latest?.server ? clockOf(latest ?? null) : null
    const tag = clock === null ? null : (byClock?.tagOf(clock, key) ?? null)
    return { bytes, clock, tag, encoded: {} }
  }
  const body = (ready === undefined ? fly() : ready.then(fly)).finally(() => {
    isOver = true
  })
  // Where all who waited have gone, what goes wrong is told to nobody.
  body.catch(() => undefined)
  return {
    waiting: 0,
    moment: () => latest,
    come: (later) => {
      latest = later
    },
    stop,
    body,
    isOver: () => isOver,
  }
}

/** Whether the answer of a reading that has begun is right for somebody who came later: nothing has changed since. */
export function isFor({ moment, stop }: Flight, asked: Asked): boolean {
  const clock = clockOf(moment() ?? null)
  return !stop.isStopped() && clock !== null && clock === clockOf(asked.moment ?? null)
}

export async function wait(flight: Flight, stop: Stop): Promise<Body | null> {
  flight.waiting += 1
  try {
    return await Promise.race([flight.body, stop.stopped])
  } finally {
    flight.waiting -= 1
    if (flight.waiting === 0 && !flight.isOver()) flight.stop.stop()
  }
}
