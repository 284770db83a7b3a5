import type { Seen } from '../load'

interface Standing {
  readonly state: string
  /** When it was first seen. */
  readonly since: number
  /** Another was seen just before. */
  readonly isNew: boolean
}

/** Which states of the database have been seen last. */
export interface States {
  readonly of: (source: object) => Standing | undefined
  /** Whether it was seen last, and the time before as well: a database that is written to all the time never stands. */
  readonly isStanding: (seen: Seen | null) => boolean
  readonly observe: (seen: Seen) => void
}

export function makeStates(): States {
  const last = new WeakMap<object, Standing>()
  return {
    of: (source) => last.get(source),
    isStanding: (seen) => {
      const now = seen === null ? undefined : last.get(seen.source)
      return now !== undefined && now.state === seen?.state && !now.isNew
    },
    observe: ({ source, state }) => {
      const before = last.get(source)
      if (before?.state !== state) {
        last.set(source, { state, since: performance.now(), isNew: before !== undefined })
      } else if (before.isNew) last.set(source, { ...before, isNew: false })
    },
  }
}
