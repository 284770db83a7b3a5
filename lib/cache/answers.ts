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
import type { EntryCounts, LoadedAnswer, OnConnection, Stop } from '../load'
import { makeMemory, once } from '../memory'
import type { Bytes } from '../shape'
import { chooseEncoding, compressors, type Encoding } from './encoding'
import { type ReadShared, shareReadings, type SharedAsking } from './shared-reading'

/** Names a body: the state of the database and what was asked of it. */
type Tag = string

/** `salt`: what else a body depends on, the same in every process that serves the same. */
function makeTagOf(salt: string): (state: string, key: string) => Tag {
  const salted = createHash('sha256').update(salt)
  return (state, key) => salted.copy().update(`${state}\n${key}`).digest('base64url').slice(0, 27)
}

/** As it is sent: the same bytes have the same, other bytes another. */
const entityTag = (tag: Tag, encoding: Encoding | null): string =>
  encoding === null ? `"${tag}"` : `"${tag}-${encoding}"`

/** The first of a header's tags that is a body's in any encoding; undefined where none is. */
function findTag(header: string, tag: Tag): string | undefined {
  const given = header.match(/"[^"]*"/g) ?? []
  const own = new Set([entityTag(tag, null), entityTag(tag, 'br'), entityTag(tag, 'gzip')])
  return given.find((one) => own.has(one))
}

/** A state of one server: behind a balancer several answer by turns. */
type ServerState = Pick<DatabaseState, 'id' | 'server' | 'isStillValid'>

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

/** Null where there is nothing to show. */
export type ReadBody = (stop: Stop, onConnection?: OnConnection) => Promise<ReadBytes | null>

type AskedReading = SharedAsking<ReadBody>

/** What it takes to keep a body by the state that was asked for before it was read. */
export interface KeepingByState {
  readonly stateBehind: (read: StateRead) => Promise<LeftState | null>
  /** True if nothing in the basis changed between both states. */
  readonly isStillValid: (before: string, now: string, basis: Basis) => boolean
  readonly tagOf: (state: string, key: string) => Tag
}

/** What was learned on the connection that a body was read on. */
interface LearnedBehind {
  readonly left: LeftState | null
  readonly basis: Basis | null
}

/**
 * Of several servers behind one name, another may not yet have what the one that was asked has; and what is committed
 * while the body is read may be in it: it is right for those who were told of that state, which is never seen again, but its
 * tag would stand for two bodies.
 */
export const bodyByState =
  ({ stateBehind, isStillValid, tagOf }: KeepingByState): ReadShared<ReadBody, Body> =>
  async ({ key, state, read }, stop) => {
    const keepable = keepableBy(state)
    if (keepable === null) return unkept(await read(stop))
    const { id, server } = keepable
    let learned: LearnedBehind | undefined
    const learn: OnConnection = async (read) => {
      learned = {
        left: await stateBehind(read),
        basis: keepable.isStillValid === undefined ? null : read.from.basis(),
      }
    }
    const body = await read(stop, learn)
    const { left, basis } = learned ?? nothingLearned
    if (body === null || left?.server !== server) return unkept(body)
    const isOfState =
      left.id === id || (left.id !== null && basis !== null && isStillValid(id, left.id, basis))
    // By name: V8 gives each object that is spread and added to a shape of its own, which is half of what is kept beside a body.
    const { bytes, headers } = body
    const tag = isOfState ? tagOf(id, key) : null
    return { bytes, headers, state: { id, server }, basis, tag, encoded: {} }
  }

const nothingLearned: LearnedBehind = { left: null, basis: null }

/** What may not be kept. */
const unkept = (body: ReadBytes | null): Body | null =>
  body === null ? null : { ...body, state: null, basis: null, tag: null, encoded: {} }

/** Smaller bodies fit a packet as they are. */
const leastBytes = 1024

type Compress = (key: string, body: Body, encoding: Encoding | null) => Promise<Encoded>

interface Encoded {
  readonly bytes: Bytes
  readonly encoding: Encoding | null
}

/** Encodes what is kept, once, and keeps it beside the plain bytes. What is not kept is sent as it is. */
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

interface KeptBodiesBounds {
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

interface KeptBodies {
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

function makeKeptBodies({ maxEntries, maxBytes }: KeptBodiesBounds): KeptBodies {
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
const keepNoBodies: KeptBodies = {
  get: () => undefined,
  keep: () => undefined,
  holds: () => false,
  addEncoded: () => undefined,
  clear: () => undefined,
  count: () => 0,
  bytes: () => 0,
}

export interface CacheSettings extends KeptBodiesBounds {
  readonly compress: boolean
}

/** What the client says it has, and what it can read. */
export interface Conditions {
  readonly ifNoneMatch: string | undefined
  readonly acceptEncoding: string | undefined
}

export interface UnchangedAnswer {
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

/** The rows of an answer, of which each of those who share them makes objects of his own. */
export interface RowsRead {
  readonly loaded: LoadedAnswer
  readonly entries: EntryCounts
}

export type ReadRows = (stop: Stop) => Promise<RowsRead>

const unshaped: ReadShared<ReadRows, RowsRead> = ({ read }, stop) => read(stop)

/** What answers are made of: bodies that were read once for all who ask the same, and kept if there is a cache. */
export interface Answers {
  /** Word that the client has what it asks for; null where it has not, or where that cannot be told. */
  readonly unchanged: (key: string, state: StateAnswer, conditions: Conditions) => UnchangedAnswer | null
  /** A body that was read in this state of the database. */
  readonly kept: (key: string, state: StateAnswer) => Body | null
  /** Reads it, once for all requests in flight that ask the same, and keeps it. Null where there is nothing to show. */
  readonly read: (asked: AskedReading, stop: Stop) => Promise<Body | null>
  /** Whether bodies are kept. Where none are, who wants no bytes need not have them written. */
  readonly areKept: boolean
  /** Reads the rows alone, once for all that wait for them. */
  readonly readRows: (asked: Omit<SharedAsking<ReadRows>, 'state'>, stop: Stop) => Promise<RowsRead | null>
  /** A body in the form that is wanted. */
  readonly offer: (key: string, body: Body, conditions: Conditions) => Promise<Answer>
  readonly stats: () => Omit<CacheStats, 'questions' | 'isFollowing'>
  readonly clear: () => void
}

export interface AnswersSettings {
  readonly cache: CacheSettings | null
  readonly etag: boolean
  /** What a body depends on besides the database and the request. */
  readonly fingerprint: string
}

export function makeAnswers(
  { stateBehind, isStillValid }: Pick<Freshness, 'stateBehind' | 'isStillValid'>,
  { cache, etag, fingerprint }: AnswersSettings,
): Answers {
  const bodies = cache === null ? keepNoBodies : makeKeptBodies(cache)
  const tagOf = makeTagOf(fingerprint)
  const keeping = { stateBehind, isStillValid, tagOf }
  const readings = shareReadings(bodyByState(keeping), bodies.keep)
  const rowReadings = shareReadings(unshaped, () => undefined)
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
    readRows: (asked, stop) => rowReadings.share({ ...asked, state: 'unasked' }, stop),
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
