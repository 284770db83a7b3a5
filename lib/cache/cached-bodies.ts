import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FilledOptions } from '../config'
import { type Basis, type DatabaseState, isValidIn } from '../freshness'
import { type Bytes, inOnePiece, joinedBytes } from '../json'
import { makeMemory, once } from '../memory'

/** A state of one server: behind a balancer several respond by turns. */
type ServerState = Pick<DatabaseState, 'id' | 'server' | 'isStillValid'>

export interface ReadBytes {
  readonly bytes: Bytes
  /** Headers for shared caches; null without any. */
  readonly headers: Readonly<Record<string, string>> | null
}

export interface Body extends ReadBytes {
  /** The state that it is cached under; null if it may not be cached. */
  readonly state: ServerState | null
  /** The tables and rows that it depends on; null without a follower. */
  readonly basis: Basis | null
  readonly tag: string | null
  /** The same bytes in the encodings that were needed so far. */
  readonly encoded: Readonly<Partial<Record<Encoding, Bytes>>>
}

/** In order of preference. */
const encodings = ['br', 'gzip'] as const
export type Encoding = (typeof encodings)[number]

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

const compressors: Readonly<Record<Encoding, (bytes: Bytes) => Promise<Bytes>>> = {
  br: async (bytes) => {
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: 4,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    }
    return inOnePiece(await brotli(joinedBytes(bytes), { params }))
  },
  gzip: async (bytes) => inOnePiece(await zip(joinedBytes(bytes), { level: 6 })),
}

/** The weight of each coding in a header such as `br;q=0.5, gzip`. */
function weightsIn(header: string): ReadonlyMap<string, number> {
  const named = header.split(',').map((part): [string, number] => {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    return [name, weight === undefined ? 1 : Number(weight.slice(2)) || 0]
  })
  return new Map(named)
}

/** The encoding that a client prefers to plain bytes; null without one. */
function chooseEncoding(header: string | undefined): Encoding | null {
  if (header === undefined) return null
  const weights = weightsIn(header)
  const weightOf = (encoding: Encoding): number => weights.get(encoding) ?? weights.get('*') ?? 0
  // Plain bytes are acceptable without being named; named, their weight counts.
  const least = weights.get('identity') ?? 0
  const accepted = encodings.filter((encoding) => weightOf(encoding) > 0 && weightOf(encoding) >= least)
  const [best = null] = accepted.sort((one, other) => weightOf(other) - weightOf(one))
  return best
}

/** Smaller bodies fit a packet without compression. */
const leastBytes = 1024

/** Bytes of the objects of an entry, besides its body and its key. */
const bytesBeside = 500

function sizeOf({ bytes, headers, encoded, basis }: Body): number {
  let size = bytesBeside + bytes.length + (encoded.br?.length ?? 0) + (encoded.gzip?.length ?? 0)
  for (const ids of basis?.rows?.ids.values() ?? []) size += 100 + 8 * ids.length
  for (const value of Object.values(headers ?? {})) size += value.length
  return size
}

/** Each server has entries of its own. */
const placeOf = (key: string, { server }: ServerState): string => `${server}\n${key}`

/** Without a cache it keeps nothing: responses still have tags. */
export function makeCachedBodies(cache: FilledOptions['cache']) {
  let evictions = 0
  const onEvict = (): void => {
    evictions += 1
  }
  const kept = cache && makeMemory<Body>({ ...cache, bytesOf: sizeOf, onEvict })
  const compressing = new WeakMap<Bytes, Map<Encoding, Promise<Bytes>>>()

  const keep = (key: string, body: Body): void => {
    if (body.state !== null) kept?.set(placeOf(key, body.state), body)
  }

  const cached = (key: string, { state, bytes }: Body): Body | undefined => {
    const body = state === null ? undefined : kept?.peek(placeOf(key, state))
    return body?.bytes === bytes ? body : undefined
  }

  const compress = (key: string, body: Body, encoding: Encoding): Promise<Bytes> => {
    const running = once(compressing, body.bytes, () => new Map<Encoding, Promise<Bytes>>())
    return once(running, encoding, () =>
      compressors[encoding](body.bytes)
        .then((bytes) => {
          const current = cached(key, body)
          // Set again, because the bytes count: the entry may be evicted.
          if (current !== undefined)
            keep(key, { ...current, encoded: { ...current.encoded, [encoding]: bytes } })
          return bytes
        })
        .finally(() => running.delete(encoding)),
    )
  }

  return {
    /** The cached body, if nothing in its basis changed since it was read. */
    get: (key: string, state: ServerState): Body | undefined => {
      const body = kept?.get(placeOf(key, state))
      if (body === undefined || body.state === null) return undefined
      return isValidIn(state, body.state.id, body.basis) ? body : undefined
    },
    keep,
    /** Compresses cached bodies, once, and caches the result. Other bodies stay plain. */
    encode: async (key: string, body: Body, accepted: string | undefined) => {
      const plain = { bytes: body.bytes, encoding: null }
      const encoding = cache?.compress === true ? chooseEncoding(accepted) : null
      if (encoding === null || body.bytes.length < leastBytes) return plain
      const encoded = body.encoded[encoding]
      if (encoded !== undefined) return { bytes: encoded, encoding }
      if (cached(key, body) === undefined) return plain
      return { bytes: await compress(key, body, encoding), encoding }
    },
    clear: () => {
      kept?.clear()
    },
    stats: () => ({ entries: kept?.size ?? 0, bytes: kept?.calculatedSize ?? 0, evictions }),
  }
}
