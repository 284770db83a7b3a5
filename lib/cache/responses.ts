import { createHash } from 'node:crypto'
import type { FilledOptions } from '../config'
import { type Basis, type Freshness, cacheableState, type LeftState, type KnownState } from '../freshness'
import type { EntryCounts, LoadedRows, OnConnection, Deadline } from '../read'
import { type Body, type Encoding, makeCachedBodies, type ReadBytes } from './cached-bodies'
import { type ReadShared, shareReadings } from './share-readings'

/** Each encoding has a tag of its own, because its bytes differ. */
const entityTag = (tag: string, encoding: Encoding | null): string =>
  encoding === null ? `"${tag}"` : `"${tag}-${encoding}"`

/** The first tag of the header that belongs to the body in any encoding. */
function findTag(header: string, tag: string): string | undefined {
  const given = header.match(/"[^"]*"/g) ?? []
  const own = new Set([entityTag(tag, null), entityTag(tag, 'br'), entityTag(tag, 'gzip')])
  return given.find((one) => own.has(one))
}

/** Reads a body; null for a missing entry. */
export type ReadBody = (stop: Deadline, onConnection?: OnConnection) => Promise<ReadBytes | null>

export interface KeepingByState extends Pick<Freshness, 'stateBehind' | 'isStillValid'> {
  readonly tagOf: (state: string, key: string) => string
}

/**
 * Reads a body under the state that was read before it. Another server behind the same name may be behind that state,
 * and commits meanwhile may be in the body: such a body is right for its requests, but its tag would mean two bodies.
 */
export const bodyByState =
  ({ stateBehind, isStillValid, tagOf }: KeepingByState): ReadShared<ReadBody, Body> =>
  async ({ key, state, read }, stop) => {
    const keepable = cacheableState(state)
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
    // Members are listed, because V8 needs twice the memory for a spread object.
    const { bytes, headers } = body
    const tag = isOfState ? tagOf(id, key) : null
    return { bytes, headers, state: { id, server }, basis, tag, encoded: {} }
  }

const unkept = (body: ReadBytes | null): Body | null =>
  body === null ? null : { ...body, state: null, basis: null, tag: null, encoded: {} }

/** Headers of a request. */
export interface Conditions {
  readonly ifNoneMatch?: string | undefined
  readonly acceptEncoding?: string | undefined
}

export type ContentResponse =
  | { readonly kind: 'unchanged'; readonly etag: string }
  | (ReadBytes & {
      readonly kind: 'body'
      readonly encoding: Encoding | null
      readonly etag: string | null
    })

/** The rows of a response, of which each request makes objects of its own. */
export interface RowsRead {
  readonly loaded: LoadedRows
  readonly entries: EntryCounts
}

type ReadRows = (stop: Deadline) => Promise<RowsRead>

interface ResponsesSettings {
  readonly cache: FilledOptions['cache']
  readonly etag: boolean
  /** The options that change bodies, equal in every process that serves the same. */
  readonly fingerprint: string
}

export function makeResponses(
  { stateBehind, isStillValid }: Pick<Freshness, 'stateBehind' | 'isStillValid'>,
  { cache, etag, fingerprint }: ResponsesSettings,
) {
  const bodies = makeCachedBodies(cache)
  const salted = createHash('sha256').update(fingerprint)
  const tagOf: KeepingByState['tagOf'] = (state, key) =>
    salted.copy().update(`${state}\n${key}`).digest('base64url').slice(0, 27)
  const readings = shareReadings(bodyByState({ stateBehind, isStillValid, tagOf }), bodies.keep)
  const rowReadings = shareReadings<ReadRows, RowsRead>(({ read }, stop) => read(stop))
  const counts = { hits: 0, misses: 0, notModified: 0 }
  const unchanged = (found: string): ContentResponse => {
    counts.notModified += 1
    return { kind: 'unchanged', etag: found }
  }

  return {
    /** A 304; null if the client does not have the current body, or the state is unknown. */
    unchanged: (key: string, state: KnownState, { ifNoneMatch }: Conditions): ContentResponse | null => {
      if (!etag || ifNoneMatch === undefined || typeof state !== 'object') return null
      const found = findTag(ifNoneMatch, bodies.get(key, state)?.tag ?? tagOf(state.id, key))
      return found === undefined ? null : unchanged(found)
    },
    /** The cached body for this state. */
    kept: (key: string, state: KnownState): Body | null => {
      if (state === 'unasked') return null
      const body = state === 'unknown' ? undefined : bodies.get(key, state)
      counts[body === undefined ? 'misses' : 'hits'] += 1
      return body ?? null
    },
    /** Reads a body, once for all equal requests in flight, and caches it. Null for a missing entry. */
    read: readings.share,
    /** False without a cache: reads in the process then need no bytes. */
    areKept: cache !== null,
    /** Reads rows without a body, once for all equal requests in flight. */
    readRows: rowReadings.share,
    /** Compresses a body if the client accepts it. */
    offer: async (
      key: string,
      body: Body,
      { ifNoneMatch, acceptEncoding }: Conditions,
    ): Promise<ContentResponse> => {
      const { bytes, encoding } = await bodies.encode(key, body, acceptEncoding)
      const own = etag && body.tag !== null ? entityTag(body.tag, encoding) : null
      if (own !== null && ifNoneMatch?.trim() === '*') return unchanged(own)
      return { kind: 'body', bytes, encoding, etag: own, headers: body.headers }
    },
    stats: () => {
      const shared = readings.shared() + rowReadings.shared()
      return { ...bodies.stats(), ...counts, shared }
    },
    clear: bodies.clear,
  }
}
