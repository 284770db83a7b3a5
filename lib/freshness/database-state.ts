import { makeMemory } from '../memory'

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

/** Of one thing that is known: rights to some hundred types. */
const bytesOfOne = 10_000

interface RememberLimits extends HoldingLimits {
  /** How many keys are known at once. */
  readonly most: number
}

/** As `remember`, for something that is read by a key. */
export function rememberEach<T>(
  read: (key: string) => Promise<T>,
  limits: RememberLimits,
): (key: string, now?: StateAnswer) => Promise<T> {
  const { most } = limits
  const known = makeMemory<RememberedAt & { readonly value: Promise<T> }>({
    maxEntries: most,
    maxBytes: most * bytesOfOne,
    bytesOf: () => bytesOfOne,
  })
  return (key, now = 'unasked') => {
    const seen = known.get(key)
    if (seen !== undefined && stillHolds(seen, now, limits)) return seen.value
    const reading = { ...rememberedAt(now), value: read(key) }
    known.set(key, reading)
    // A failed reading must not be remembered: the next one who asks tries again.
    reading.value.catch(() => {
      if (known.peek(key) === reading) known.delete(key)
    })
    return reading.value
  }
}

export interface RememberedAt {
  /** In milliseconds. */
  readonly readAt: number
  readonly state: string | null
}

export interface HoldingLimits {
  readonly milliseconds: number
  /** All that it is read from; null where any commit may change it. */
  readonly tables?: ReadonlySet<string> | null
}

/**
 * Holds for some milliseconds and, where the state of the database was asked for, no longer than nothing was committed, or
 * nothing to its tables.
 */
export function stillHolds(
  { readAt, state }: RememberedAt,
  now: StateAnswer,
  { milliseconds, tables = null }: HoldingLimits,
): boolean {
  if (performance.now() - readAt > milliseconds) return false
  if (now === 'unasked') return true
  return state !== null && typeof now === 'object' && stillHoldsIn(now, state, tables && onTables(tables))
}

export const rememberedAt = (now: StateAnswer): RememberedAt => ({
  readAt: performance.now(),
  state: keepableBy(now)?.id ?? null,
})

export type Remembered<T> = (now?: StateAnswer) => Promise<T>

/** Something read from the database that seldom changes: read again once it no longer holds. */
export function remember<T>(
  read: () => Promise<T>,
  milliseconds: number,
  tables: ReadonlySet<string> | null = null,
): Remembered<T> {
  let known: (RememberedAt & { readonly value: Promise<T> }) | undefined
  return (now = 'unasked') => {
    if (known !== undefined && stillHolds(known, now, { milliseconds, tables })) return known.value
    const reading = { ...rememberedAt(now), value: read() }
    known = reading
    // A failed reading must not be remembered: the next one who asks tries again.
    reading.value.catch(() => {
      if (known === reading) known = undefined
    })
    return reading.value
  }
}
