import type { Stop } from '../load'
import type { Body } from './body'
import { type Asked, type ByClock, depart, type Flight, isFor, wait } from './flight'

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

export interface Flights {
  readonly share: (asked: Asked, stop: Stop) => Promise<Body | null>
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

  const follow = (key: string, flight: Flight): Flight => {
    const land = (body: Body | null): void => {
      const lane = lanes.get(key)
      if (lane?.flying === flight && lane.next === undefined) lanes.delete(key)
      if (body !== null) keep(key, body)
    }
    flight.body.then(land, () => {
      land(null)
    })
    return flight
  }

  const departNext = (lane: Lane, asked: Asked): Flight => {
    const ready = after(lane.flying).then(() => {
      if (lane.next !== next) return
      lane.flying = next
      lane.next = undefined
    })
    const next = follow(asked.key, depart(asked, { byClock, ready }))
    lane.next = next
    return next
  }

  const flightFor = (asked: Asked): Flight => {
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

  return { share: (asked, stop) => wait(flightFor(asked), stop), shared: () => shared }
}
