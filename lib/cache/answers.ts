import type { CacheStats } from '../config'
import type { Freshness, StateAnswer } from '../freshness'
import type { EntryCounts, LoadedAnswer, Stop } from '../load'
import type { Body, ReadBytes } from './body'
import { makeCompressor } from './kept-bodies'
import { chooseEncoding, type Encoding } from './encoding'
import { type KeptBodiesBounds, keepNoBodies, makeKeptBodies } from './kept-bodies'
import { shareReadings } from './shared-reading'
import { type SharedAsking, type AskedReading, bodyByState, type ReadShared } from './shared-reading'
import { entityTag, findTag, makeTagOf } from './body'

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
