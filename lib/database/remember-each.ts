import { makeMemory } from '../memory'
import type { ReadAt } from './moment'
import { type RememberedAt, seenAt, stillHolds } from './remember'

/** Of one thing that is known: rights to some hundred types. */
const bytesOfOne = 10_000

interface RememberLimits {
  readonly milliseconds: number
  /** How many keys are known at once. */
  readonly most: number
}

/** As `remember`, for something that is read by a key. */
export function rememberEach<T>(
  read: (key: string) => Promise<T>,
  { milliseconds, most }: RememberLimits,
): (key: string, moment?: ReadAt) => Promise<T> {
  const known = makeMemory<RememberedAt & { readonly value: Promise<T> }>({
    maxEntries: most,
    maxBytes: most * bytesOfOne,
    bytesOf: () => bytesOfOne,
  })
  return (key, moment) => {
    const seen = known.get(key)
    if (seen !== undefined && stillHolds(seen, moment, milliseconds)) return seen.value
    const reading = { ...seenAt(moment), value: read(key) }
    known.set(key, reading)
    // A failed reading must not be remembered: the next one who asks tries again.
    reading.value.catch(() => {
      if (known.peek(key) === reading) known.delete(key)
    })
    return reading.value
  }
}
