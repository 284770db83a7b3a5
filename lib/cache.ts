// Comes in: what a request asks, and how to read it. Goes out: its body as bytes, from memory where the database says that
// nothing has been committed since it was read, or word that the client has it. Refused: nothing; where the database
// cannot say, the body is read.
import type { Answer, Answers, AnswersSettings } from './cache/answers'
import { counterFor, makeAsk } from './cache/ask'
import { makeEntries, noEntries } from './cache/entries'
import { makeFlights } from './cache/flights'
import { makeSight } from './cache/sight'
import { makeStates } from './cache/states'
import { makeTotals } from './cache/totals'
import { answersByClock, type Means } from './cache/with-clock'
import type { Database } from './database'
import type { Bytes } from './shape'

export type { Answer, Answers, CacheSettings, Conditions } from './cache/answers'
export type { Encoding } from './cache/encoding'
export { type Finding, nothing as findNothing } from './cache/read'

const plain = (bytes: Bytes): Answer => ({ kind: 'body', bytes, encoding: null, etag: null })

/** A body that is like no other, and nobody else's. */
export const ofOne = (bytes: Bytes | null): Answer | null => (bytes === null ? null : plain(bytes))

function withoutClock({ totals, sight }: Means): Answers {
  const flights = makeFlights(() => undefined)
  const none = { entries: 0, bytes: 0, hits: 0, misses: 0, notModified: 0, questions: 0 }
  return {
    moment: () => Promise.resolve(undefined),
    answer: async ({ key, read }, _, stop) => {
      const body = await flights.share({ key, read, moment: undefined }, stop)
      return body === null ? null : plain(body.bytes)
    },
    totals,
    sight,
    stats: () => ({ ...none, shared: flights.shared() }),
    clear: totals.clear,
  }
}

export function makeAnswers(database: Database, settings: AnswersSettings): Answers {
  const { cache, etag } = settings
  const counter = counterFor(database)
  const ask = makeAsk(database, counter, settings)
  const states = makeStates()
  const totals = makeTotals(ask, states, counter)
  const sight = makeSight(database, { counter, ask, states })
  const means = { ask, ahead: counter.ahead, totals, sight, states }
  if (cache !== null) return answersByClock(means, settings, makeEntries(cache))
  return etag ? answersByClock(means, settings, noEntries) : withoutClock(means)
}
