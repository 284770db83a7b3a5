import type { SeenState, Shown } from '../load'

interface Standing {
  readonly state: string
  /** When it was first seen. */
  readonly since: number
  /** Another was seen just before. */
  readonly isNew: boolean
}

/** Whose states those of all databases but SQLite are, where each connection has numbers of its own. */
export const everybody = {}

/** What is never seen again after a commit; null where the counter cannot say. */
export const stateOf = ({ count, server }: Shown): string | null =>
  count === null ? null : `${count} ${server}`

/** Which states of the database have been seen last. */
export interface States {
  /** Whether it was seen last, and the time before as well: a database that is written to all the time never stands. */
  readonly isStanding: (seen: SeenState | null) => boolean
  /** Whether everybody's state was seen to be this one so many milliseconds before then, and no other since. */
  readonly hasStood: (state: string, milliseconds: number, then: number) => boolean
  readonly observe: (seen: SeenState) => void
}

export function makeStates(): States {
  const last = new WeakMap<object, Standing>()
  return {
    isStanding: (seen) => {
      const now = seen === null ? undefined : last.get(seen.source)
      return now !== undefined && now.state === seen?.state && !now.isNew
    },
    hasStood: (state, milliseconds, then) => {
      if (milliseconds === 0) return true
      const now = last.get(everybody)
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
