// Comes in: what is worth keeping, under a text. Goes out: the same, until what was asked for since has taken its room.
// Refused: to grow beyond so many bytes, as requests may choose both the texts and how much is kept under them.
import { LRUCache } from 'lru-cache'

/** Besides its key and itself: places in the lists and the map of the cache. */
const bytesOfEntry = 200

/** One shall not drive out all others. */
const largestShare = 1 / 8

export type Memory<T extends object | string | number | true> = Pick<
  LRUCache<string, T>,
  'get' | 'peek' | 'has' | 'set' | 'delete' | 'clear' | 'size' | 'calculatedSize'
>

interface MemoryBounds<T> {
  readonly maxBytes: number
  readonly maxEntries?: number
  /** About what a value takes; nothing, if it is not said. */
  readonly bytesOf?: (value: T) => number
}

export function makeMemory<T extends object | string | number | true>({
  maxBytes,
  maxEntries,
  bytesOf = () => 0,
}: MemoryBounds<T>): Memory<T> {
  return new LRUCache({
    ...(maxEntries === undefined ? {} : { max: maxEntries }),
    maxSize: maxBytes,
    maxEntrySize: Math.max(1, Math.floor(maxBytes * largestShare)),
    sizeCalculation: (value: T, key) => bytesOfEntry + 2 * key.length + bytesOf(value),
  })
}

/** What `NoInfer` is, which users' TypeScript has from 5.4 on. */
type NotInferred<V> = [V][V extends unknown ? 0 : never]

interface KeyedValues<K, V> {
  get(key: K): V | undefined
  set(key: K, value: NotInferred<V>): unknown
}

/** What is kept under a key, which is made where nothing is. */
export function once<K, V>(kept: KeyedValues<K, V>, key: K, make: () => V): V {
  const before = kept.get(key)
  if (before !== undefined) return before
  const made = make()
  kept.set(key, made)
  return made
}
