import type { Now } from '../database'
import { makeMemory } from '../memory'
import type { Answer, Answers, AnswersSettings, Conditions } from './answers'
import type { CounterQuestions } from './ask'
import type { Body } from './body'
import { makeClock } from './clock'
import type { Counter } from './counter'
import { type Encode, makeEncoder } from './encoder'
import { chooseEncoding } from './encoding'
import type { KeptBodies } from './entries'
import { type Flights, makeFlights } from './flights'
import type { makeSight } from './sight'
import type { States } from './states'
import { entityTag, findTag, makeTagOf } from './tag'

/** What answers are made with, whether they are kept or not. */
export interface Means extends Pick<Answers, 'totals'> {
  readonly ask: CounterQuestions
  readonly ahead: Counter['ahead']
  readonly sight: ReturnType<typeof makeSight>
  readonly states: States
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

/** Of the keys of answers that show nothing, and so tell no state. */
const maxBytes = 1024 * 1024

interface TellingByReading {
  readonly untold: (key: string) => void
  /** Whether a reading is sure to follow, which tells by itself what it saw, so that nobody need ask before. */
  readonly isSure: (flights: Flights, key: string, now: Now) => Promise<boolean>
}

function makeTelling({ ask }: Means, entries: KeptBodies, isStrict: boolean): TellingByReading {
  const untold = makeMemory<true>({ maxBytes })
  return {
    untold: (key) => untold.set(key, true),
    isSure: async (flights, key, now) =>
      isStrict &&
      !now.isAsked() &&
      !entries.knows(key) &&
      !untold.has(key) &&
      !flights.isUnderWay(key) &&
      (await ask.countsAll()),
  }
}

export function answersByClock(means: Means, settings: AnswersSettings, entries: KeptBodies): Answers {
  const { cache, etag, fingerprint } = settings
  const { ask, ahead, totals, sight, states } = means
  const freshness = cache?.freshness ?? 'strict'
  const clock = makeClock(ask.shown, states, { ahead, freshness })
  const tagOf = makeTagOf(fingerprint)
  const { untold, isSure } = makeTelling(means, entries, freshness === 'strict')
  const flights = makeFlights(entries.keep, {
    ...{ serverOf: ask.serverOf, tagOf, sight, told: clock.told, untold },
  })
  const counts = { hits: 0, misses: 0, notModified: 0 }
  const unchanged = (found: string): Answer => {
    counts.notModified += 1
    return { kind: 'unchanged', etag: found }
  }
  const offer = offering(makeEncoder(entries), settings, unchanged)

  return {
    moment: clock.now,
    answer: async ({ key, now, read }, conditions, stop) => {
      const { ifNoneMatch } = conditions
      const isNews = ifNoneMatch === undefined && (await isSure(flights, key, now))
      const moment = isNews ? undefined : await now.ask()
      const kept = moment ? entries.get(key, moment.clock) : undefined
      if (etag && moment && ifNoneMatch !== undefined) {
        const found = findTag(ifNoneMatch, kept?.tag ?? tagOf(moment.clock, key))
        if (found !== undefined) return unchanged(found)
      }
      if (kept !== undefined) {
        counts.hits += 1
        return offer(key, kept, conditions)
      }
      counts.misses += 1
      const body = await flights.share({ key, moment, read }, stop)
      return body === null ? null : offer(key, body, conditions)
    },
    totals,
    sight,
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
