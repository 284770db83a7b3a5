import { clockOf, type ReadAt } from './moment'

export interface RememberedAt {
  /** In milliseconds. */
  readonly readAt: number
  readonly clock: string | null
}

/** Holds for some milliseconds and, where the asker brings a moment, no longer than nothing was committed. */
export function stillHolds(
  { readAt, clock }: RememberedAt,
  moment: ReadAt | undefined,
  milliseconds: number,
): boolean {
  if (performance.now() - readAt > milliseconds) return false
  return moment === undefined || (clock !== null && clock === moment?.clock)
}

export const seenAt = (moment: ReadAt = null): RememberedAt => ({
  readAt: performance.now(),
  clock: clockOf(moment),
})

export type Remembered<T> = (moment?: ReadAt) => Promise<T>

/** Something read from the database that seldom changes: read again once it no longer holds. */
export function remember<T>(read: () => Promise<T>, milliseconds: number): Remembered<T> {
  let known: (RememberedAt & { readonly value: Promise<T> }) | undefined
  return (moment) => {
    if (known !== undefined && stillHolds(known, moment, milliseconds)) return known.value
    const reading = { ...seenAt(moment), value: read() }
    known = reading
    // A failed reading must not be remembered: the next one who asks tries again.
    reading.value.catch(() => {
      if (known === reading) known = undefined
    })
    return reading.value
  }
}
