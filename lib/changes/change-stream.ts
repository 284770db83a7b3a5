import type { ChangedOwner } from './content-change'
import { makeSealedNumbers } from './sealed-number'

/** So many changes can be heard again by whoever was away. */
const most = 1000

/** One change, in the order in which they were told. `owners`: null where anything may have changed. */
export interface NumberedChange {
  readonly id: string
  readonly owners: readonly ChangedOwner[] | null
}

export interface Listener {
  readonly tell: (change: NumberedChange) => void
  readonly end: () => void
}

export interface ChangeStream {
  readonly tell: (owners: readonly ChangedOwner[] | null) => void
  /** Null where there are as many already as there may be. Answers how to leave. */
  readonly listen: (listener: Listener, most: number) => (() => void) | null
  /** The number of the last change. */
  readonly last: () => string
  /** What came after a change; null where that is not known any more. */
  readonly since: (id: string) => readonly NumberedChange[] | null
  readonly close: () => void
}

export function makeChangeStream(): ChangeStream {
  const numbers = makeSealedNumbers()
  const changes: NumberedChange[] = []
  const listeners = new Set<Listener>()
  let count = 0

  return {
    tell: (owners) => {
      count += 1
      const change = { id: numbers.seal(count), owners }
      changes.push(change)
      if (changes.length > most) changes.shift()
      for (const listener of listeners) listener.tell(change)
    },
    listen: (listener, mostListeners) => {
      if (listeners.size >= mostListeners) return null
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    last: () => numbers.seal(count),
    since: (id) => {
      const number = numbers.open(id)
      const missed = number === null ? Infinity : count - number
      return missed > changes.length ? null : changes.slice(changes.length - missed)
    },
    close: () => {
      for (const listener of listeners) listener.end()
    },
  }
}
