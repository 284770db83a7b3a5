import type { CacheStats } from '../config'
import type { Now, ReadAt } from '../database'
import type { Sight, Stop } from '../load'
import type { Bytes } from '../shape'
import type { AskSettings } from './ask'
import type { Encoding } from './encoding'
import type { KeptBodiesBounds } from './entries'
import type { AskedReading } from './flight'
import type { Totals } from './totals'

export interface CacheSettings extends KeptBodiesBounds {
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

/** Whoever asks, and how what he asks for is read. */
export interface AskingForAnswer extends Omit<AskedReading, 'moment'> {
  readonly now: Now
}

/** What answers are made with: read once for all who ask the same, and kept if there is a cache. */
export interface Answers {
  /** Where the database stands; undefined where nobody needs to know. To be asked once the request is there. */
  readonly moment: () => Promise<ReadAt | undefined>
  /** Null where there is nothing to show. */
  readonly answer: (asking: AskingForAnswer, conditions: Conditions, stop: Stop) => Promise<Answer | null>
  /** For readings that are to tell which state of the database they show. */
  readonly sight: () => Sight
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
