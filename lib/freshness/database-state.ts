import type { Basis } from './basis'

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
