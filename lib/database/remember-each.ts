import { LRUCache } from 'lru-cache'
import type { ReadAt } from './moment'
import { type Seen, seenAt, stillHolds } from './remember'

interface Limits {
  readonly milliseconds: number
  /** How many keys are known at once: who may choose the keys must not be able to fill the memory. */
  readonly most: number
}

/** As `remember`, for something that is read by a key. */
export function rememberEach<T>(
  read: (key: string) => Promise<T>,
  { milliseconds, most }: Limits,
): (key: string, moment?: ReadAt) => Promise<T> {
  const known = new LRUCache<string, Seen & { readonly value: Promise<T> }>({ max: most })
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
