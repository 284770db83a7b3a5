import { clockOf, type Moment, type ReadAt } from '../database'
import type { OnConnection, Shown, Sight, Stop } from '../load'
import type { Bytes } from '../shape'
import type { Clock } from './clock'
import type { Tag } from './tag'

/** What is to be found out while an answer is read. */
export interface Finding {
  readonly onConnection: OnConnection | undefined
  readonly sight: Sight | null
}

export const nothing: Finding = { onConnection: undefined, sight: null }

export type ReadBody = (stop: Stop, finding: Finding) => Promise<Bytes | null>

/** What it takes to keep an answer. Absent where none is kept. */
export interface ByClock {
  readonly serverOf: (...connection: Parameters<OnConnection>) => Promise<string | undefined>
  readonly sight: (tell: (shown: Shown | null) => void) => Sight
  readonly told: Clock['told']
  /** Hears of keys whose readings did not tell which state they saw. */
  readonly untold: (key: string) => void
  readonly tagOf: (clock: string, key: string) => Tag
}

/** What was read, and the clock that it may be kept by. */
export interface BodyAndClock {
  readonly bytes: Bytes | null
  readonly clock: string | null
}

/** Reads what is to be kept by what the clock showed before. */
export async function readBehind(
  { serverOf }: ByClock,
  asked: Moment,
  read: (finding: Finding) => Promise<Bytes | null>,
): Promise<BodyAndClock> {
  let server: string | undefined
  const onConnection: OnConnection = async (run, connection) => {
    server = await serverOf(run, connection)
  }
  const bytes = await read({ ...nothing, onConnection })
  // Of several servers behind one name, another may not yet have what the one that was asked has.
  return { bytes, clock: server === asked.server ? clockOf(asked) : null }
}

/** Reads what is to be kept by the state that it shows. `tell` hears of that before the rest is read. */
export async function readTelling(
  { sight, told, untold }: ByClock,
  key: string,
  read: (finding: Finding) => Promise<Bytes | null>,
  tell: (moment: ReadAt) => void,
): Promise<BodyAndClock> {
  const begunAt = performance.now()
  const seen: { moment: ReadAt } = { moment: null }
  const bytes = await read({
    ...nothing,
    sight: sight((shown) => {
      seen.moment = told(shown, begunAt)
      tell(seen.moment)
    }),
  })
  if (seen.moment === null) untold(key)
  return { bytes, clock: clockOf(seen.moment) }
}
