import { makeMemory, once } from '../memory'
import type { ProbeResult } from './probe'

/** Which state of the database a page shows. */
export interface PageState {
  /** Whose states these are: those of another are not comparable. */
  readonly source: object
  /** Never seen again after a commit. */
  readonly state: string
}

interface StandingState {
  readonly state: string
  /** When it was first seen. */
  readonly since: number
  /** Another was seen just before. */
  readonly isNew: boolean
}

/** What is never seen again after a commit; null where the counter cannot say. */
export const stateOf = ({ count, server }: ProbeResult): string | null =>
  count === null ? null : `${count} ${server}`

/** Which state of each server has been seen last: behind a balancer several answer by turns. */
export interface StandingStates {
  /** Whose states those of a server are. On SQLite each connection has numbers of its own. */
  readonly ofServer: (server: string) => object
  /** Whether it was seen last, and the time before as well: a database that is written to all the time never stands. */
  readonly isStanding: (seen: PageState | null) => boolean
  /** Whether this state was seen so many milliseconds before then, and no other of its source since. */
  readonly hasStood: (seen: PageState, milliseconds: number, then: number) => boolean
  readonly observe: (seen: PageState) => void
}

/** Of servers: an address may lead to many, one after the other. */
const maxBytes = 100_000

export function watchStates(): StandingStates {
  const last = new WeakMap<object, StandingState>()
  const servers = makeMemory<object>({ maxBytes })
  return {
    ofServer: (server) => once(servers, server, () => ({})),
    isStanding: (seen) => {
      const now = seen === null ? undefined : last.get(seen.source)
      return now !== undefined && now.state === seen?.state && !now.isNew
    },
    hasStood: ({ source, state }, milliseconds, then) => {
      if (milliseconds === 0) return true
      const now = last.get(source)
      return now?.state === state && then - now.since >= milliseconds
    },
    observe: ({ source, state }) => {
      const before = last.get(source)
      if (before?.state !== state) {
        last.set(source, { state, since: performance.now(), isNew: before !== undefined })
      } else if (before.isNew) last.set(source, { ...before, isNew: false })
    },
  }
}
