import type { ChangedOwner } from './content-change'
import { type ChangesSince, makeKeptChanges } from './kept-changes'
import { makeSealedNumbers } from './sealed-number'

export interface Listener {
  /** That something was told; he asks what it was. */
  readonly wake: () => void
  readonly end: () => void
}

/** What came after a place, and the place behind it. */
export interface News extends ChangesSince {
  readonly place: number
}

export interface ChangeStream {
  readonly tell: (owners: readonly ChangedOwner[] | null) => void
  /** Null where there are as many already as there may be. Answers how to leave. */
  readonly listen: (listener: Listener, most: number) => (() => void) | null
  /** An id of the last change. */
  readonly last: () => string
  readonly since: (place: number) => News
  /** Of a change; null where it is none that is known. */
  readonly placeOf: (id: string) => number | null
  readonly place: () => number
  readonly close: () => void
}

export function makeChangeStream(): ChangeStream {
  const ids = makeSealedNumbers()
  const kept = makeKeptChanges()
  const listeners = new Set<Listener>()
  let count = 0

  return {
    tell: (owners) => {
      count += 1
      kept.add({ number: count, id: ids.seal(count) }, owners)
      for (const listener of listeners) listener.wake()
    },
    listen: (listener, mostListeners) => {
      if (listeners.size >= mostListeners) return null
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    last: () => ids.seal(count),
    since: (place) => ({ ...kept.since(place), place: count }),
    placeOf: ids.open,
    place: () => count,
    close: () => {
      for (const listener of listeners) listener.end()
    },
  }
}
