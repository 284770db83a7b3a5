import { randomBytes } from 'node:crypto'
import type { ChangedOwner } from './content-change'

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
  /** Numbers of another process, or of this one before it was started again, are no numbers here. */
  const name = randomBytes(6).toString('hex')
  const changes: NumberedChange[] = []
  const listeners = new Set<Listener>()
  let count = 0
  const idOf = (number: number): string => `${name}-${String(number)}`

  return {
    tell: (owners) => {
      count += 1
      const change = { id: idOf(count), owners }
      changes.push(change)
      if (changes.length > most) changes.shift()
      for (const listener of listeners) listener.tell(change)
    },
    listen: (listener, mostListeners) => {
      if (listeners.size >= mostListeners) return null
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    last: () => idOf(count),
    since: (id) => {
      if (id === idOf(count)) return []
      const at = changes.findIndex((change) => change.id === id)
      // The first that is remembered comes after one that is not.
      return at < 0 ? null : changes.slice(at + 1)
    },
    close: () => {
      for (const listener of listeners) listener.end()
    },
  }
}
