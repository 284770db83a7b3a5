import { createHash } from 'node:crypto'
import type { CacheStats } from '../config'
import {
  type Basis,
  type DatabaseState,
  type Freshness,
  keepableBy,
  type LeftState,
  type StateAnswer,
  type StateRead,
  stillHoldsIn,
} from '../freshness'
import type { EntryCounts, LoadedAnswer, OnConnection, Stop } from '../read'
import { makeMemory, once } from '../memory'
import type { Bytes } from '../json'
import { chooseEncoding, compressors, type Encoding } from './encoding'
import { type ReadShared, shareReadings, type SharedRequest } from './share-readings'

/** Each encoding has a tag of its own, because its bytes differ. */
const entityTag = (tag: string, encoding: Encoding | null): string =>
  encoding === null ? `"${tag}"` : `"${tag}-${encoding}"`

/** The first tag of the header that belongs to the body in any encoding. */
function findTag(header: string, tag: string): string | undefined {
  const given = header.match(/"[^"]*"/g) ?? []
  const own = new Set([entityTag(tag, null), entityTag(tag, 'br'), entityTag(tag, 'gzip')])
  return given.find((one) => own.has(one))
}

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

/** Reads a body; null for a missing entry. */
export type ReadBody = (stop: Stop, onConnection?: OnConnection) => Promise<ReadBytes | null>

export interface KeepingByState {
  readonly stateBehind: (read: StateRead) => Promise<LeftState | null>
  /** True if nothing in the basis changed between both states. */
  readonly isStillValid: (before: string, now: string, basis: Basis) => boolean
  readonly tagOf: (state: string, key: string) => string
}

/**
 * Reads a body under the state that was read before it. Another server behind the same name may be behind that state, and
 * commits meanwhile may be in the body: such a body is right for its requests, but its tag would mean two bodies.
 */
export const bodyByState =
  ({ stateBehind, isStillValid, tagOf }: KeepingByState): ReadShared<ReadBody, Body> =>
  async ({ key, state, read }, stop) => {
    const keepable = keepableBy(state)
    if (keepable === null) return unkept(await read(stop))
    const { id, server } = keepable
    const behind: { left: LeftState | null; basis: Basis | null } = { left: null, basis: null }
    const learn: OnConnection = async (read) => {
      behind.left = await stateBehind(read)
      behind.basis = keepable.isStillValid === undefined ? null : read.from.basis()
    }
    const body = await read(stop, learn)
    const { left, basis } = behind
    if (body === null || left?.server !== server) return unkept(body)
    const isOfState =
      left.id === id || (left.id !== null && basis !== null && isStillValid(id, left.id, basis))
    // By name, because a spread object gets a shape of its own in V8, which doubles the memory beside a body.
    const { bytes, headers } = body
    const tag = isOfState ? tagOf(id, key) : null
    return { bytes, headers, state: { id, server }, basis, tag, encoded: {} }
  }

const unkept = (body: ReadBytes | null): Body | null =>
  body === null ? null : { ...body, state: null, basis: null, tag: null, encoded: {} }

/** Smaller bodies fit a packet without compression. */
const leastBytes = 1024

type Compress = (
  key: string,
  body: Body,
  encoding: Encoding | null,
) => Promise<{ readonly bytes: Bytes; readonly encoding: Encoding | null }>

/** Compresses cached bodies, once, and caches the result. Other bodies stay plain. */
function makeCompressor(bodies: KeptBodies): Compress {
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

/** Bytes of the objects of an entry, besides its body and its key. */
const bytesBeside = 500

function sizeOf({ bytes, headers, encoded, basis }: Body): number {
  let size = bytesBeside + bytes.length + (encoded.br?.length ?? 0) + (encoded.gzip?.length ?? 0)
  for (const ids of basis?.rows?.ids.values() ?? []) size += 100 + 8 * ids.length
  for (const value of Object.values(headers ?? {})) size += value.length
  return size
}

interface KeptBodies {
  /** The cached body, if nothing in its basis changed since it was read. */
  readonly get: (key: string, state: ServerState) => Body | undefined
  readonly keep: (key: string, body: Body) => void
  readonly holds: (key: string, body: Body) => boolean
  /** The bytes count, so that the entry may be evicted. */
  readonly addEncoded: (key: string, body: Body, encoded: Body['encoded']) => void
  readonly clear: () => void
  readonly count: () => number
  readonly bytes: () => number
}

/** Each server has entries of its own. */
const placeOf = (key: string, { server }: ServerState): string => `${server}\n${key}`

function makeKeptBodies({ maxEntries, maxBytes }: CacheSettings): KeptBodies {
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

/** Without a cache responses still have tags. */
const keepNoBodies: KeptBodies = {
  get: () => undefined,
  keep: () => undefined,
  holds: () => false,
  addEncoded: () => undefined,
  clear: () => undefined,
  count: () => 0,
  bytes: () => 0,
}

interface CacheSettings {
  readonly maxEntries: number
  readonly maxBytes: number
  readonly compress: boolean
}

/** Headers of a request. */
export interface Conditions {
  readonly ifNoneMatch: string | undefined
  readonly acceptEncoding: string | undefined
}

interface UnchangedAnswer {
  readonly kind: 'unchanged'
  readonly etag: string
}

export type Answer =
  | UnchangedAnswer
  | (ReadBytes & {
      readonly kind: 'body'
      readonly encoding: Encoding | null
      readonly etag: string | null
    })

/** The rows of a response, of which each request makes objects of its own. */
export interface RowsRead {
  readonly loaded: LoadedAnswer
  readonly entries: EntryCounts
}

type ReadRows = (stop: Stop) => Promise<RowsRead>

export interface Answers {
  /** A 304; null if the client does not have the current body, or the state is unknown. */
  readonly unchanged: (key: string, state: StateAnswer, conditions: Conditions) => UnchangedAnswer | null
  /** The cached body for this state. */
  readonly kept: (key: string, state: StateAnswer) => Body | null
  /** Reads a body, once for all equal requests in flight, and caches it. Null for a missing entry. */
  readonly read: (request: SharedRequest<ReadBody>, stop: Stop) => Promise<Body | null>
  /** False without a cache: reads in the process then need no bytes. */
  readonly areKept: boolean
  /** Reads rows without a body, once for all equal requests in flight. */
  readonly readRows: (request: Omit<SharedRequest<ReadRows>, 'state'>, stop: Stop) => Promise<RowsRead | null>
  /** Compresses a body if the client accepts it. */
  readonly offer: (key: string, body: Body, conditions: Conditions) => Promise<Answer>
  readonly stats: () => Omit<CacheStats, 'questions' | 'isFollowing'>
  readonly clear: () => void
}

interface AnswersSettings {
  readonly cache: CacheSettings | null
  readonly etag: boolean
  /** The options that change bodies, equal in every process that serves the same. */
  readonly fingerprint: string
}

export function makeAnswers(
  { stateBehind, isStillValid }: Pick<Freshness, 'stateBehind' | 'isStillValid'>,
  { cache, etag, fingerprint }: AnswersSettings,
): Answers {
  const bodies = cache === null ? keepNoBodies : makeKeptBodies(cache)
  const salted = createHash('sha256').update(fingerprint)
  const tagOf: KeepingByState['tagOf'] = (state, key) =>
    salted.copy().update(`${state}\n${key}`).digest('base64url').slice(0, 27)
  const readings = shareReadings(bodyByState({ stateBehind, isStillValid, tagOf }), bodies.keep)
  const rowReadings = shareReadings<ReadRows, RowsRead>(
    ({ read }, stop) => read(stop),
    () => undefined,
  )
  const compress = makeCompressor(bodies)
  const counts = { hits: 0, misses: 0, notModified: 0 }
  const unchanged = (found: string): UnchangedAnswer => {
    counts.notModified += 1
    return { kind: 'unchanged', etag: found }
  }

  return {
    unchanged: (key, state, { ifNoneMatch }) => {
      if (!etag || ifNoneMatch === undefined || typeof state !== 'object') return null
      const found = findTag(ifNoneMatch, bodies.get(key, state)?.tag ?? tagOf(state.id, key))
      return found === undefined ? null : unchanged(found)
    },
    kept: (key, state) => {
      if (state === 'unasked') return null
      const body = state === 'unknown' ? undefined : bodies.get(key, state)
      counts[body === undefined ? 'misses' : 'hits'] += 1
      return body ?? null
    },
    read: readings.share,
    areKept: cache !== null,
    readRows: (request, stop) => rowReadings.share({ ...request, state: 'unasked' }, stop),
    offer: async (key, body, { ifNoneMatch, acceptEncoding }) => {
      const wanted = cache?.compress === true ? chooseEncoding(acceptEncoding) : null
      const { bytes, encoding } = await compress(key, body, wanted)
      const own = etag && body.tag !== null ? entityTag(body.tag, encoding) : null
      if (own !== null && ifNoneMatch?.trim() === '*') return unchanged(own)
      return { kind: 'body', bytes, encoding, etag: own, headers: body.headers }
    },
    stats: () => {
      const shared = readings.shared() + rowReadings.shared()
      return { entries: bodies.count(), bytes: bodies.bytes(), ...counts, shared }
    },
    clear: bodies.clear,
  }
}
