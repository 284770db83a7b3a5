import type { Moment, ReadAt } from '../database'
import type { Shown } from '../load'
import { shareQuestion } from './shared-question'
import { everybody, stateOf, type States } from './states'

export interface Clock {
  /** Where the database stands, at the earliest when this was called or so much before it as answers may be old. */
  readonly now: () => Promise<ReadAt>
  /** The same, from what was shown to a reading that began at this time and has been under way since. */
  readonly told: (shown: Shown | null, begunAt: number) => ReadAt
  /** How many times the database was asked. */
  readonly questions: () => number
}

export interface ClockSettings {
  /** By how many milliseconds the counter may be ahead of what can be seen. */
  readonly ahead: number
  /** How old an answer may be. */
  readonly freshness: 'strict' | number
}

interface ToldMoment {
  readonly moment: ReadAt
  readonly askedAt: number
}

/** `ask`: what the database's counter shows; null where that cannot be told. */
export function makeClock(
  ask: () => Promise<Shown | null>,
  states: States,
  { ahead, freshness }: ClockSettings,
): Clock {
  const oldest = freshness === 'strict' ? 0 : freshness
  let questions = 0
  let told: ToldMoment | undefined

  const momentOf = (shown: Shown | null, askedAt: number): Moment | null => {
    const clock = shown && stateOf(shown)
    if (shown === null || clock === null) return null
    return { clock, server: shown.server, settled: states.hasStood(clock, ahead, askedAt) }
  }

  const question = shareQuestion(async () => {
    questions += 1
    const askedAt = performance.now()
    const shown = await ask()
    const moment = momentOf(shown, askedAt)
    if (moment !== null) states.observe({ source: everybody, state: moment.clock })
    told = { moment, askedAt }
    return moment
  }, oldest)

  const askMeanwhile = (): void => {
    // Whoever has to wait for the next question hears of its failure.
    question().catch(() => undefined)
  }

  return {
    now: () => {
      if (oldest === 0 || told === undefined || told.moment === null) return question()
      const age = performance.now() - told.askedAt
      if (age > oldest) return question()
      if (age > oldest / 2) askMeanwhile()
      return Promise.resolve(told.moment)
    },
    told: momentOf,
    questions: () => questions,
  }
}
