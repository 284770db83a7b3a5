/** Follows commits, for example by the log of the database. */
export interface Follower {
  /** SQL of PostgreSQL: its value is read with each state, for `learnState`. */
  readonly beside: string
  /** Resolves once all commits before this state are known, or after a moment. */
  readonly learnState: (state: string, beside: string | null) => Promise<void>
  /** True if nothing in the basis changed between both states. `now`: null for the latest known state. */
  readonly isStillValid: (before: string, now: string | null, basis: Basis) => boolean
  /** False if commits are unknown, so that each one invalidates all responses. */
  readonly isFollowing: () => boolean
  /** Bytes of the log that the database keeps for it; null if unknown. */
  readonly retainedWal?: () => number | null
}

/** The data that a result depends on. */
export interface Basis {
  readonly tables: ReadonlySet<string>
  /** Null if any change of a table may change the result. */
  readonly rows: BasisRows | null
}

/** Rows that were read whole. Changes of other rows matter only in the deciding columns. */
export interface BasisRows {
  /** By table. */
  readonly ids: ReadonlyMap<string, readonly number[]>
  /** The columns that decide which rows a statement reads, for each statement. */
  readonly decidedBy: readonly ReadonlySet<string>[]
}

export const onTables = (tables: ReadonlySet<string>): Basis => ({ tables, rows: null })

export interface DatabaseState {
  /** Never repeated after a commit. */
  readonly id: string
  /** The server, or the file. */
  readonly server: string
  /** True if a read that begins now sees all commits before this state. */
  readonly isSettled: boolean
  /** True if nothing in the basis changed since then; absent without a follower. */
  readonly isStillValid?: (before: string, basis: Basis) => boolean
}

export const isValidIn = (
  { id, isStillValid }: Pick<DatabaseState, 'id' | 'isStillValid'>,
  before: string,
  basis: Basis | null,
): boolean => id === before || (basis !== null && isStillValid?.(before, basis) === true)

/** `unknown`: the database cannot tell, so that nothing may be cached. `unasked`: nothing is cached anyway. */
export type KnownState = DatabaseState | 'unknown' | 'unasked'

/** The state to cache a new result under; null if it may not be cached. */
export const cacheableState = (state: KnownState): DatabaseState | null =>
  typeof state === 'object' && state.isSettled ? state : null

export type ReadState = () => Promise<KnownState>

/** The state is read once for each request, when it is first needed. */
export function readStateOnce(ask: ReadState): ReadState {
  let answer: Promise<KnownState> | undefined
  return () => (answer ??= ask())
}

export type Remembered<T> = (now?: KnownState) => Promise<T>

/**
 * Caches a result for some milliseconds and, if the state is known, until a commit to its tables. `tables`: null if any
 * commit may change it.
 */
export function remember<T>(
  read: () => Promise<T>,
  milliseconds: number,
  tables: ReadonlySet<string> | null = null,
): Remembered<T> {
  const basis = tables && onTables(tables)
  let known:
    { readonly readAt: number; readonly state: string | null; readonly value: Promise<T> } | undefined
  const isValid = ({ readAt, state }: NonNullable<typeof known>, now: KnownState): boolean => {
    if (performance.now() - readAt > milliseconds) return false
    return now === 'unasked' || (state !== null && typeof now === 'object' && isValidIn(now, state, basis))
  }
  return (now = 'unasked') => {
    if (known !== undefined && isValid(known, now)) return known.value
    const reading = { readAt: performance.now(), state: cacheableState(now)?.id ?? null, value: read() }
    known = reading
    // The next call tries again after a failure.
    reading.value.catch(() => {
      if (known === reading) known = undefined
    })
    return reading.value
  }
}
