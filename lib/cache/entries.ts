import { makeMemory } from '../memory'
import type { Bytes } from '../shape'
import type { Body } from './body'

export interface KeptBodiesBounds {
  readonly maxEntries: number
  readonly maxBytes: number
}

/** What an entry takes besides its body and its key: the objects that hold it. */
const bytesBeside = 500

const sizeOf = ({ bytes, encoded }: Body): number =>
  bytesBeside + bytes.length + (encoded.br?.length ?? 0) + (encoded.gzip?.length ?? 0)

export interface KeptBodies {
  /** What is kept for the key, if nothing has been committed since it was read. */
  readonly get: (key: string, clock: string) => Body | undefined
  /** Whether anything is kept for the key, be it out of date. */
  readonly knows: (key: string) => boolean
  readonly keep: (key: string, body: Body) => void
  readonly holds: (key: string, bytes: Bytes) => boolean
  /** Counts like all other bytes; too much of it, and the entry goes. */
  readonly addEncoded: (key: string, bytes: Bytes, encoded: Body['encoded']) => void
  readonly clear: () => void
  readonly count: () => number
  readonly bytes: () => number
}

export function makeEntries({ maxEntries, maxBytes }: KeptBodiesBounds): KeptBodies {
  const kept = makeMemory<Body>({ maxEntries, maxBytes, bytesOf: sizeOf })
  return {
    get: (key, clock) => {
      const body = kept.get(key)
      return body?.clock === clock ? body : undefined
    },
    knows: (key) => kept.has(key),
    keep: (key, body) => {
      if (body.clock !== null) kept.set(key, body)
    },
    holds: (key, bytes) => kept.peek(key)?.bytes === bytes,
    addEncoded: (key, bytes, encoded) => {
      const body = kept.peek(key)
      if (body?.bytes === bytes) kept.set(key, { ...body, encoded: { ...body.encoded, ...encoded } })
    },
    clear: () => {
      kept.clear()
    },
    count: () => kept.size,
    bytes: () => kept.calculatedSize,
  }
}

/** Where answers have tags but are not kept. */
export const noEntries: KeptBodies = {
  get: () => undefined,
  knows: () => false,
  keep: () => undefined,
  holds: () => false,
  addEncoded: () => undefined,
  clear: () => undefined,
  count: () => 0,
  bytes: () => 0,
}
