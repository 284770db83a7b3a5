import type { Bytes } from '../shape'
import type { Encoding } from './encoding'
import type { Tag } from './tag'

/** An answer's body as it is sent. */
export interface Body {
  readonly bytes: Bytes
  /** The clock that it may be kept by; null where it may not. */
  readonly clock: string | null
  readonly tag: Tag | null
  /** The same bytes, encoded as far as somebody has asked for that. */
  readonly encoded: Readonly<Partial<Record<Encoding, Bytes>>>
}
