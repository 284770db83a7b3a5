import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { ChangedOwner } from './content-change'
import { type ChangesSince, makeRecentChanges } from './recent-changes'

const cipher = 'aes-256-gcm'
const [nonceBytes, numberBytes, tagBytes] = [12, 8, 16]

/** Encrypted numbers: the difference of two plain ones would show the number of changes between them. */
export interface SealedNumbers {
  /** A different text each time, so that equal numbers look different. */
  readonly seal: (number: number) => string
  /** Null for a text of another process. */
  readonly open: (text: string) => number | null
}

export function makeSealedNumbers(): SealedNumbers {
  const key = randomBytes(32)
  return {
    seal: (number) => {
      const nonce = randomBytes(nonceBytes)
      const sealing = createCipheriv(cipher, key, nonce)
      const plain = Buffer.alloc(numberBytes)
      plain.writeBigUInt64BE(BigInt(number))
      return Buffer.concat([nonce, sealing.update(plain), sealing.final(), sealing.getAuthTag()]).toString(
        'base64url',
      )
    },
    open: (text) => {
      const bytes = Buffer.from(text, 'base64url')
      if (bytes.length !== nonceBytes + numberBytes + tagBytes) return null
      const opening = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes))
      opening.setAuthTag(bytes.subarray(nonceBytes + numberBytes))
      const plain = opening.update(bytes.subarray(nonceBytes, nonceBytes + numberBytes))
      try {
        opening.final()
        return Number(plain.readBigUInt64BE())
      } catch {
        // The only error is that of another key or a changed text.
        return null
      }
    },
  }
}

export interface Listener {
  /** Something changed: the listener reads `since` its place. */
  readonly wake: () => void
  readonly end: () => void
}

/** Changes after a place, and the place after them. */
export interface News extends ChangesSince {
  readonly place: number
}

export interface ChangeStream {
  readonly push: (owners: readonly ChangedOwner[] | null) => void
  /** Null if there are too many listeners. Returns a function that unsubscribes. */
  readonly listen: (listener: Listener, most: number) => (() => void) | null
  /** An id of the last change. */
  readonly last: () => string
  readonly since: (place: number) => News
  readonly placeOf: (id: string) => number | null
  readonly place: () => number
  readonly close: () => void
}

export function makeChangeStream(): ChangeStream {
  const ids = makeSealedNumbers()
  const kept = makeRecentChanges()
  const listeners = new Set<Listener>()
  let count = 0

  return {
    push: (owners) => {
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
