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

/** What something that was read rests on. */
export interface Basis {
  readonly tables: ReadonlySet<string>
  /** Null where any change of a table may make it another. */
  readonly rows: BasisRows | null
}

/** Rows that were read whole. Of all others no more matters than what they hold in columns that decide which these are. */
export interface BasisRows {
  /** By their numbers, which mean the same row where they are equal. */
  readonly ids: ReadonlyMap<string, readonly number[]>
  /** Of each statement. */
  readonly decidedBy: readonly ReadonlySet<string>[]
}

/** Rests on all that some tables hold. */
export const onTables = (tables: ReadonlySet<string>): Basis => ({ tables, rows: null })

/** Which state a database was in when it was asked. */
export interface DatabaseState {
  /** Never the same again once something has been committed. */
  readonly id: string
  /** Which server it was, or which file. */
  readonly server: string
  /** Everything that was committed before it can be seen by a reading that begins now. */
  readonly isSettled: boolean
  /** True if what was read in an earlier state is the same in this one; absent without a follower. */
  readonly isStillValid?: (before: string, basis: Basis) => boolean
}

/** Whether what was read in an earlier state, and rests on this where that is known, holds in this one. */
export const stillHoldsIn = (
  { id, isStillValid }: Pick<DatabaseState, 'id' | 'isStillValid'>,
  before: string,
  basis: Basis | null,
): boolean => id === before || (basis !== null && isStillValid?.(before, basis) === true)

/** `unknown`: the database cannot say, so that nothing may be kept by it. `unasked`: nothing is kept in any case. */
export type StateAnswer = DatabaseState | 'unknown' | 'unasked'

/** The state that something read now may be kept by. Null: by nothing. */
export const keepableBy = (state: StateAnswer): DatabaseState | null =>
  typeof state === 'object' && state.isSettled ? state : null

/** The database is asked once for each request, when its state is first needed. */
export type AskState = () => Promise<StateAnswer>

export function askOnce(ask: AskState): AskState {
  let answer: Promise<StateAnswer> | undefined
  return () => (answer ??= ask())
}
