import { onTables } from './basis'
import { keepableBy, type StateAnswer, stillHoldsIn } from './database-state'

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
