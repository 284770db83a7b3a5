// Comes in: what a request asks, and how to read it. Goes out: its body as bytes, from memory where the database says that
// nothing has been committed since it was read, or word that the client has it. Refused: nothing; where the database
// cannot say, the body is read.
import { type Ask, type AskSettings, counterFor, makeAsk } from './cache/ask'
import type { Body } from './cache/body'
import { makeClock } from './cache/clock'
import type { Counter } from './cache/counter'
import { type Encode, makeEncoder } from './cache/encoder'
import { chooseEncoding, type Encoding } from './cache/encoding'
import { type Bounds, type Entries, makeEntries, noEntries } from './cache/entries'
import type { Asked } from './cache/flight'
import { makeFlights } from './cache/flights'
import { entityTag, findTag, makeTagOf } from './cache/tag'
import { makeTotals, type Totals } from './cache/totals'
import type { CacheStats } from './config'
import type { Database, ReadAt } from './database'
import type { Stop } from './load'
import type { Bytes } from './shape'

export type { Encoding } from './cache/encoding'
export type { Asked } from './cache/flight'

export interface CacheSettings extends Bounds {
  readonly freshness: 'strict' | number
  readonly compress: boolean
}

/** What the client says it has, and what it can read. */
export interface Conditions {
  readonly ifNoneMatch: string | undefined
  readonly acceptEncoding: string | undefined
}

export type Answer =
  | { readonly kind: 'unchanged'; readonly etag: string }
  | {
      readonly kind: 'body'
      readonly bytes: Bytes
      readonly encoding: Encoding | null
      readonly etag: string | null
    }

/** What answers are made with: read once for all who ask the same, and kept if there is a cache. */
export interface Answers {
  /** Where the database stands; undefined where nobody needs to know. To be asked once the request is there. */
  readonly moment: () => Promise<ReadAt | undefined>
  /** Null where there is nothing to show. */
  readonly answer: (asked: Asked, conditions: Conditions, stop: Stop) => Promise<Answer | null>
  readonly totals: Totals
  readonly stats: () => CacheStats
  readonly clear: () => void
}

export interface AnswersSettings extends AskSettings {
  readonly cache: CacheSettings | null
  readonly etag: boolean
  /** What a body depends on besides the database and the request. */
  readonly fingerprint: string
}

const plain = (bytes: Bytes): Answer => ({ kind: 'body', bytes, encoding: null, etag: null })

/** A body that is like no other, and nobody else's. */
export const ofOne = (bytes: Bytes | null): Answer | null => (bytes === null ? null : plain(bytes))

function withoutClock(totals: Totals): Answers {
  const flights = makeFlights(() => undefined)
  const none = { entries: 0, bytes: 0, hits: 0, misses: 0, notModified: 0, questions: 0 }
  return {
    moment: () => Promise.resolve(undefined),
    answer: async (asked, _, stop) => {
      const body = await flights.share(asked, stop)
      return body === null ? null : plain(body.bytes)
    },
    totals,
    stats: () => ({ ...none, shared: flights.shared() }),
    clear: totals.clear,
  }
}

/** A body in the form that is wanted, unless whoever asks has it already. */
function offering(
  encode: Encode,
  { cache, etag }: AnswersSettings,
  unchanged: (found: string) => Answer,
): (key: string, body: Body, conditions: Conditions) => Promise<Answer> {
  return async (key, body, { ifNoneMatch, acceptEncoding }) => {
    const wanted = cache?.compress === true ? chooseEncoding(acceptEncoding) : null
    const { bytes, encoding } = await encode(key, body, wanted)
    const own = etag && body.tag !== null ? entityTag(body.tag, encoding) : null
    if (own !== null && ifNoneMatch?.trim() === '*') return unchanged(own)
    return { kind: 'body', bytes, encoding, etag: own }
  }
}

interface Asking {
  readonly ask: Ask
  readonly ahead: Counter['ahead']
  readonly totals: Totals
}

function withClock(asking: Asking, settings: AnswersSettings, entries: Entries): Answers {
  const { cache, etag, fingerprint } = settings
  const { ask, ahead, totals } = asking
  const clock = makeClock(ask.shown, { ahead, freshness: cache?.freshness ?? 'strict' })
  const tagOf = makeTagOf(fingerprint)
  const flights = makeFlights(entries.keep, { serverOf: ask.serverOf, tagOf })
  const counts = { hits: 0, misses: 0, notModified: 0 }

  const unchanged = (found: string): Answer => {
    counts.notModified += 1
    return { kind: 'unchanged', etag: found }
  }

  const offer = offering(makeEncoder(entries), settings, unchanged)

  return {
    moment: clock.now,
    answer: async (asked, conditions, stop) => {
      const { key, moment } = asked
      const kept = moment ? entries.get(key, moment.clock) : undefined
      if (etag && moment && conditions.ifNoneMatch !== undefined) {
        const tag = kept?.tag ?? tagOf(moment.clock, key)
        const found = findTag(conditions.ifNoneMatch, tag)
        if (found !== undefined) return unchanged(found)
      }
      if (kept !== undefined) {
        counts.hits += 1
        return offer(key, kept, conditions)
      }
      counts.misses += 1
      const body = await flights.share(asked, stop)
      return body === null ? null : offer(key, body, conditions)
    },
    totals,
    stats: () => {
      const kept = { entries: entries.count(), bytes: entries.bytes() }
      return { ...kept, ...counts, shared: flights.shared(), questions: clock.questions() }
    },
    clear: () => {
      entries.clear()
      totals.clear()
    },
  }
}

export function makeAnswers(database: Database, settings: AnswersSettings): Answers {
  const { cache, etag } = settings
  const counter = counterFor(database)
  const ask = makeAsk(database, counter, settings)
  const totals = makeTotals(database, counter, ask)
  const asking = { ask, ahead: counter.ahead, totals }
  if (cache !== null) return withClock(asking, settings, makeEntries(cache))
  return etag ? withClock(asking, settings, noEntries) : withoutClock(totals)
}
