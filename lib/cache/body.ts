import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Basis, DatabaseState } from '../freshness'
import { type Bytes, inOnePiece, joinedBytes } from '../shape'

/** In the order in which they are preferred. */
const encodings = ['br', 'gzip'] as const
export type Encoding = (typeof encodings)[number]

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

export const compressors: Readonly<Record<Encoding, (bytes: Bytes) => Promise<Bytes>>> = {
  br: async (bytes) => {
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: 4,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    }
    return inOnePiece(await brotli(joinedBytes(bytes), { params }))
  },
  gzip: async (bytes) => inOnePiece(await zip(joinedBytes(bytes), { level: 6 })),
}

/** The weight of each coding that a header names: `br;q=0.5, gzip`. */
function weightsIn(header: string): ReadonlyMap<string, number> {
  const named = header.split(',').map((part): [string, number] => {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    return [name, weight === undefined ? 1 : Number(weight.slice(2)) || 0]
  })
  return new Map(named)
}

/** The encoding that a client prefers to plain bytes; null: none. */
export function chooseEncoding(header: string | undefined): Encoding | null {
  if (header === undefined) return null
  const weights = weightsIn(header)
  const weightOf = (name: string): number => weights.get(name) ?? weights.get('*') ?? 0
  // Plain bytes are acceptable without being named; where they are, their weight counts.
  let best: Encoding | null = null
  let most = weights.get('identity') ?? 0
  for (const encoding of encodings) {
    const weight = weightOf(encoding)
    if (weight > 0 && (weight > most || (best === null && weight === most))) {
      best = encoding
      most = weight
    }
  }
  return best
}

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
