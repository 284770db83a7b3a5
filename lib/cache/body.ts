import type { Basis, DatabaseState } from '../freshness'
import type { Bytes } from '../shape'
import type { Encoding } from './encoding'
import type { Tag } from './tag'

/** A state of one server: behind a balancer several answer by turns. */
export type ServerState = Pick<DatabaseState, 'id' | 'server' | 'isStillValid'>

/** A body as it was read. */
export interface ReadBytes {
  readonly bytes: Bytes
  /** What caches elsewhere are told to find it by; null where they are told nothing. */
  readonly sources: string | null
}

/** An answer's body as it is sent. */
export interface Body extends ReadBytes {
  /** The state of the database, and whose, that it may be kept by; null where it may not. */
  readonly state: ServerState | null
  /** What it rests on; null where nobody tells what of that changes. */
  readonly basis: Basis | null
  readonly tag: Tag | null
  /** The same bytes in the encodings that were asked for so far. */
  readonly encoded: Readonly<Partial<Record<Encoding, Bytes>>>
}
