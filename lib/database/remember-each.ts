import { LRUCache } from 'lru-cache'

interface Remembered<T> {
  readonly value: Promise<T>
  readonly readAt: number
}

interface Limits {
  readonly milliseconds: number
  /** How many keys are known at once: who may choose the keys must not be able to fill the memory. */
  readonly most: number
}

/** As `remember`, for something that is read by a key. */
export function rememberEach<T>(
  read: (key: string) => Promise<T>,
  { milliseconds, most }: Limits,
): (key: string) => Promise<T> {
  const known = new LRUCache<string, Remembered<T>>({ max: most })
  return (key) => {
    const now = Date.now()
    const seen = known.get(key)
    if (seen !== undefined && now - seen.readAt <= milliseconds) return seen.value
    const reading = { value: read(key), readAt: now }
    known.set(key, reading)
    // A failed reading must not be remembered: the next one who asks tries again.
    reading.value.catch(() => {
      if (known.peek(key) === reading) known.delete(key)
    })
    return reading.value
  }
}
