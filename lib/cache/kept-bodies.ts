import { stillHoldsIn } from '../freshness'
import { makeMemory, once } from '../memory'
import type { Bytes } from '../shape'
import type { Body, ServerState } from './body'
import { compressors, type Encoding } from './encoding'

/** Smaller bodies fit a packet as they are. */
const leastBytes = 1024

type Compress = (key: string, body: Body, encoding: Encoding | null) => Promise<Encoded>

interface Encoded {
  readonly bytes: Bytes
  readonly encoding: Encoding | null
}

/** Encodes what is kept, once, and keeps it beside the plain bytes. What is not kept is sent as it is. */
export function makeCompressor(bodies: KeptBodies): Compress {
  const underWay = new WeakMap<Bytes, Map<Encoding, Promise<Bytes>>>()

  const encodeOnce = (key: string, body: Body, encoding: Encoding): Promise<Bytes> => {
    const { bytes } = body
    const running = once(underWay, bytes, () => new Map<Encoding, Promise<Bytes>>())
    return once(running, encoding, () =>
      compressors[encoding](bytes)
        .then((encoded) => {
          bodies.addEncoded(key, body, { [encoding]: encoded })
          return encoded
        })
        .finally(() => running.delete(encoding)),
    )
  }

  return async (key, body, encoding) => {
    const plain = { bytes: body.bytes, encoding: null }
    if (encoding === null || body.bytes.length < leastBytes) return plain
    const encoded = body.encoded[encoding]
    if (encoded !== undefined) return { bytes: encoded, encoding }
    if (!bodies.holds(key, body)) return plain
    return { bytes: await encodeOnce(key, body, encoding), encoding }
  }
}

export interface KeptBodiesBounds {
  readonly maxEntries: number
  readonly maxBytes: number
}

/** What an entry takes besides its body and its key: the objects that hold it. */
const bytesBeside = 500

/** The numbers of the rows that it shows. */
const bytesOfBasis = (basis: Body['basis']): number =>
  [...(basis?.rows?.ids.values() ?? [])].reduce((sum, ids) => sum + 100 + 8 * ids.length, 0)

const bytesOfHeaders = (headers: Body['headers']): number =>
  Object.values(headers ?? {}).reduce((sum, value) => sum + value.length, 0)

const sizeOf = ({ bytes, headers, encoded, basis }: Body): number =>
  bytesBeside +
  bytesOfBasis(basis) +
  bytes.length +
  bytesOfHeaders(headers) +
  (encoded.br?.length ?? 0) +
  (encoded.gzip?.length ?? 0)

export interface KeptBodies {
  /** What is kept for the key, if nothing has been committed since it was read, or nothing that it rests on. */
  readonly get: (key: string, state: ServerState) => Body | undefined
  readonly keep: (key: string, body: Body) => void
  readonly holds: (key: string, body: Body) => boolean
  /** Counts like all other bytes; too much of it, and the entry goes. */
  readonly addEncoded: (key: string, body: Body, encoded: Body['encoded']) => void
  readonly clear: () => void
  readonly count: () => number
  readonly bytes: () => number
}

/** What one server's body is kept under takes no other's place. */
const placeOf = (key: string, { server }: ServerState): string => `${server}\n${key}`

export function makeKeptBodies({ maxEntries, maxBytes }: KeptBodiesBounds): KeptBodies {
  const kept = makeMemory<Body>({ maxEntries, maxBytes, bytesOf: sizeOf })
  return {
    get: (key, state) => {
      const body = kept.get(placeOf(key, state))
      if (body === undefined || body.state === null) return undefined
      return stillHoldsIn(state, body.state.id, body.basis) ? body : undefined
    },
    keep: (key, body) => {
      if (body.state !== null) kept.set(placeOf(key, body.state), body)
    },
    holds: (key, { state, bytes }) => state !== null && kept.peek(placeOf(key, state))?.bytes === bytes,
    addEncoded: (key, { state, bytes }, encoded) => {
      const body = state === null ? undefined : kept.peek(placeOf(key, state))
      if (state === null || body?.bytes !== bytes) return
      kept.set(placeOf(key, state), { ...body, encoded: { ...body.encoded, ...encoded } })
    },
    clear: () => {
      kept.clear()
    },
    count: () => kept.size,
    bytes: () => kept.calculatedSize,
  }
}

/** Where answers have tags but are not kept. */
export const keepNoBodies: KeptBodies = {
  get: () => undefined,
  keep: () => undefined,
  holds: () => false,
  addEncoded: () => undefined,
  clear: () => undefined,
  count: () => 0,
  bytes: () => 0,
}
