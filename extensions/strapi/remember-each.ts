import { type KnownState, remember, type Remembered } from '../../lib/freshness'
import { makeMemory, once } from '../../lib/memory'

/** Bytes of one result: rights to some hundred types. */
const bytesOfOne = 10_000

/** Caches a result for each of at most `most` keys. */
export function rememberEach<T>(
  read: (key: string) => Promise<T>,
  {
    most,
    milliseconds,
    tables,
  }: { readonly most: number; readonly milliseconds: number; readonly tables?: ReadonlySet<string> | null },
): (key: string, now?: KnownState) => Promise<T> {
  const maxBytes = most * bytesOfOne
  const known = makeMemory<Remembered<T>>({ maxEntries: most, maxBytes, bytesOf: () => bytesOfOne })
  return (key, now) => once(known, key, () => remember(() => read(key), milliseconds, tables))(now)
}
