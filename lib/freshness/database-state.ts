import { makeMemory } from '../memory'
import { onTables, keepableBy, type StateAnswer, stillHoldsIn } from './database-state'

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
