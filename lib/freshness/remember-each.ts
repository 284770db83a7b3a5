import { makeMemory } from '../memory'
import type { StateAnswer } from './database-state'
import { type HoldingLimits, type RememberedAt, rememberedAt, stillHolds } from './remember'

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
