import type { Stop } from '../load'
import type { Body } from './body'
import { type AskedReading, depart, type Flight, isFor, wait } from './flight'
import type { ByClock } from './read'

/** What is under way for one key, and what begins after it. */
interface Lane {
  flying: Flight
  next: Flight | undefined
}

/** Milliseconds after which the next reading begins even though the one before it is still under way. */
const patience = 100

/** Once the reading is over, or has taken long enough. */
function after({ body }: Flight): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, patience)
    const done = (): void => {
      clearTimeout(timer)
      resolve()
    }
    body.then(done, done)
  })
}

/** Whoever knows when he came may share what has begun, once it is known which state it reads. */
const isToCome = ({ moment }: AskedReading, flying: Flight | undefined): flying is Flight =>
  Boolean(moment) && flying !== undefined && flying.moment() === undefined

/** What is asked for now goes next. */
function put(lane: Lane, next: Flight): void {
  if (lane.next !== next) return
  lane.flying = next
  lane.next = undefined
}

export interface Flights {
  readonly share: (asked: AskedReading, stop: Stop) => Promise<Body | null>
  readonly isUnderWay: (key: string) => boolean
  /** How many requests were answered by a reading that another had asked for. */
  readonly shared: () => number
}

/**
 * Identical requests are answered by one reading: by one that began after they came, or by one since whose beginning the
 * clock has stood still. `keep` gets what was read.
 */
export function makeFlights(keep: (key: string, body: Body) => void, byClock?: ByClock): Flights {
  const lanes = new Map<string, Lane>()
  let shared = 0

  const land = (key: string, flight: Flight) => (body: Body | null) => {
    const lane = lanes.get(key)
    if (lane?.flying === flight && lane.next === undefined) lanes.delete(key)
    if (body !== null) keep(key, body)
  }

  const follow = (key: string, flight: Flight): Flight => {
    void flight.body.catch(() => null).then(land(key, flight))
    return flight
  }

  const departNext = (lane: Lane, asked: AskedReading): Flight => {
    const ready = after(lane.flying).then(() => {
      put(lane, next)
    })
    const next = follow(asked.key, depart(asked, { byClock, ready }))
    return (lane.next = next)
  }

  const flightFor = (asked: AskedReading): Flight => {
    const lane = lanes.get(asked.key)
    if (lane === undefined) {
      const flying = follow(asked.key, depart(asked, { byClock }))
      lanes.set(asked.key, { flying, next: undefined })
      return flying
    }
    if (lane.next !== undefined && !lane.next.stop.isStopped()) {
      lane.next.come(asked.moment)
      shared += 1
      return lane.next
    }
    if (!isFor(lane.flying, asked)) return departNext(lane, asked)
    shared += 1
    return lane.flying
  }

  return {
    share: async (asked, stop) => {
      const flying = lanes.get(asked.key)?.flying
      if (isToCome(asked, flying)) await Promise.race([flying.known, stop.stopped])
      return wait(flightFor(asked), stop)
    },
    isUnderWay: (key) => lanes.has(key),
    shared: () => shared,
  }
}
