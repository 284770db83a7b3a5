import { createHash } from 'node:crypto'
import type { Basis, DatabaseState } from '../freshness'
import type { Bytes } from '../shape'
import type { Encoding } from './encoding'

/** Names a body: the state of the database and what was asked of it. */
export type Tag = string

/** `salt`: what else a body depends on, the same in every process that serves the same. */
export function makeTagOf(salt: string): (state: string, key: string) => Tag {
  const salted = createHash('sha256').update(salt)
  return (state, key) => salted.copy().update(`${state}\n${key}`).digest('base64url').slice(0, 27)
}

/** As it is sent: the same bytes have the same, other bytes another. */
export const entityTag = (tag: Tag, encoding: Encoding | null): string =>
  encoding === null ? `"${tag}"` : `"${tag}-${encoding}"`

/** The first of a header's tags that is a body's in any encoding; undefined where none is. */
export function findTag(header: string, tag: Tag): string | undefined {
  const given = header.match(/"[^"]*"/g) ?? []
  const own = new Set([entityTag(tag, null), entityTag(tag, 'br'), entityTag(tag, 'gzip')])
  return given.find((one) => own.has(one))
}

/** A state of one server: behind a balancer several answer by turns. */
export type ServerState = Pick<DatabaseState, 'id' | 'server' | 'isStillValid'>

/** A body as it was read. */
export interface ReadBytes {
  readonly bytes: Bytes
  /** Sent with it to shared caches; null without any. */
  readonly headers: Readonly<Record<string, string>> | null
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
