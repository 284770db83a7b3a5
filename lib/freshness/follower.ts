import type { Basis } from './basis'

/** Knows what was committed between two states of the database, such as by reading its log. */
export interface Follower {
  /** SQL of PostgreSQL: its value is read with each state, and handed to `learnState`. */
  readonly beside: string
  /** Takes note of a state; resolves once it is known what was committed before it, or after a moment. */
  readonly learnState: (state: string, beside: string | null) => Promise<void>
  /** True if nothing in the basis changed between both states. `now` is null for the latest state that is known. */
  readonly isStillValid: (before: string, now: string | null, basis: Basis) => boolean
  /** False where it does not know what is committed, so that each commit invalidates all responses. */
  readonly isFollowing: () => boolean
}
