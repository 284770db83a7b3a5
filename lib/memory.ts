// Input: values under keys. Output: the same values, until newer ones take their room. Rejected: values beyond the
// bytes, because requests choose both keys and values.
import { LRUCache } from 'lru-cache'

/** Overhead of an entry in the lists and the map of the cache. */
const bytesOfEntry = 200

/** The largest share of one value, so that it evicts few others. */
const largestShare = 1 / 8

export type Memory<T extends object | string | number | true> = LRUCache<string, T>

interface MemoryBounds<T> {
  readonly maxBytes: number
  readonly maxEntries?: number
  /** About the bytes of a value; the default is 0. */
  readonly bytesOf?: (value: T) => number
  /** Called for each value that newer ones take the room of. */
  readonly onEvict?: () => void
}

export function makeMemory<T extends object | string | number | true>(bounds: MemoryBounds<T>): Memory<T> {
  const { maxBytes, maxEntries, bytesOf = () => 0, onEvict = () => undefined } = bounds
  return new LRUCache({
    ...(maxEntries === undefined ? {} : { max: maxEntries }),
    maxSize: maxBytes,
    maxEntrySize: Math.max(1, Math.floor(maxBytes * largestShare)),
    dispose: (_value, _key, reason) => {
      if (reason === 'evict') onEvict()
    },
    sizeCalculation: (value: T, key) => bytesOfEntry + 2 * key.length + bytesOf(value),
  })
}

interface KeyedValues<K, V> {
  get(key: K): V | undefined
  set(key: K, value: NoInfer<V>): unknown
}

/** The value of a key, made at first use. */
export function once<K, V>(kept: KeyedValues<K, V>, key: K, make: () => V): V {
  const before = kept.get(key)
  if (before !== undefined) return before
  const made = make()
  kept.set(key, made)
  return made
}
