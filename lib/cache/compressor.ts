import { once } from '../memory'
import type { Bytes } from '../shape'
import type { Body } from './body'
import { compressors, type Encoding } from './encoding'
import type { KeptBodies } from './kept-bodies'

/** Smaller bodies fit a packet as they are. */
const leastBytes = 1024

export type Compress = (key: string, body: Body, encoding: Encoding | null) => Promise<Encoded>

export interface Encoded {
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
