import type { Encoding } from './encoding'
import type { Tag } from './tag'

/** An answer's body as it is sent. */
export interface Body {
  readonly bytes: Buffer
  /** The clock that it may be kept by; null where it may not. */
  readonly clock: string | null
  readonly tag: Tag | null
  /** The same bytes, encoded as far as somebody has asked for that. */
  readonly encoded: Readonly<Partial<Record<Encoding, Buffer>>>
}

/** In memory of its own: a piece of Node's common pool would hold all of the pool for as long as it is kept. */
export function bytesOf(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}
