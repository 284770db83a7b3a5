import { createHash } from 'node:crypto'
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
