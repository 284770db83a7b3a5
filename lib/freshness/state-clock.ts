import { makeMemory, once } from '../memory'
import type { StateAnswer, Follower } from './database-state'
import type { ProbeResult } from './probe'

/** Which state of the database a page shows. */
export interface PageState {
  /** Whose states these are: those of another are not comparable. */
  readonly source: object
  /** Never seen again after a commit. */
  readonly state: string
}

interface StandingState {
  readonly state: string
  /** When it was first seen. */
  readonly since: number
  /** Another was seen just before. */
  readonly isNew: boolean
}

/** What is never seen again after a commit; null where the counter cannot say. */
export const stateOf = ({ count, server }: ProbeResult): string | null =>
  count === null ? null : `${count} ${server}`

/** Which state of each server has been seen last: behind a balancer several answer by turns. */
export interface StandingStates {
  /** Whose states those of a server are. On SQLite each connection has numbers of its own. */
  readonly ofServer: (server: string) => object
  /** Whether it was seen last, and the time before as well: a database that is written to all the time never stands. */
  readonly isStanding: (seen: PageState | null) => boolean
  /** Whether this state was seen so many milliseconds before then, and no other of its source since. */
  readonly hasStood: (seen: PageState, milliseconds: number, then: number) => boolean
  readonly observe: (seen: PageState) => void
}

/** Of servers: an address may lead to many, one after the other. */
const maxBytes = 100_000

export function watchStates(): StandingStates {
  const last = new WeakMap<object, StandingState>()
  const servers = makeMemory<object>({ maxBytes })
  return {
    ofServer: (server) => once(servers, server, () => ({})),
    isStanding: (seen) => {
      const now = seen === null ? undefined : last.get(seen.source)
      return now !== undefined && now.state === seen?.state && !now.isNew
    },
    hasStood: ({ source, state }, milliseconds, then) => {
      if (milliseconds === 0) return true
      const now = last.get(source)
      return now?.state === state && then - now.since >= milliseconds
    },
    observe: ({ source, state }) => {
      const before = last.get(source)
      if (before?.state !== state) {
        last.set(source, { state, since: performance.now(), isNew: before !== undefined })
      } else if (before.isNew) last.set(source, { ...before, isNew: false })
    },
  }
}

/**
 * Each request gets the answer to a question that was put after the request came, or at most `oldest` milliseconds before.
 * While one is under way that is too old for him, all who come share the next.
 */
function shareQuestion<T>(ask: () => Promise<T>, oldest: number): () => Promise<T> {
  let underWay: { readonly answer: Promise<T>; readonly putAt: number } | undefined
  let next: Promise<T> | undefined
  const put = (): Promise<T> => {
    next = undefined
    const answer = ask().finally(() => {
      if (underWay?.answer === answer) underWay = undefined
    })
    underWay = { answer, putAt: performance.now() }
    return answer
  }
  return () => {
    if (underWay === undefined) return put()
    if (performance.now() - underWay.putAt < oldest) return underWay.answer
    next ??= underWay.answer.then(put, put)
    return next
  }
}

export interface StateClock {
  /** The state of the database, at the earliest when this was called or so much before it as answers may be old. */
  readonly now: () => Promise<StateAnswer>
  /** How many times the database was asked. */
  readonly questions: () => number
}

export interface StateClockSettings {
  /** By how many milliseconds the counter may be ahead of what can be seen. */
  readonly ahead: number
  /** How old an answer may be. */
  readonly freshness: 'strict' | number
  readonly follower?: Follower | null
}

interface AskedState {
  readonly state: StateAnswer
  readonly askedAt: number
}

/** `ask`: what the database's counter shows; null where that cannot be told. */
export function makeStateClock(
  ask: () => Promise<ProbeResult | null>,
  states: StandingStates,
  { ahead, freshness, follower = null }: StateClockSettings,
): StateClock {
  const oldest = freshness === 'strict' ? 0 : freshness
  let questions = 0
  let last: AskedState | undefined

  const answerOf = async (shown: ProbeResult | null, askedAt: number): Promise<StateAnswer> => {
    const id = shown && stateOf(shown)
    if (shown === null || id === null) return 'unknown'
    const seen = { source: states.ofServer(shown.server), state: id }
    const isSettled = states.hasStood(seen, ahead, askedAt)
    states.observe(seen)
    const state = { id, server: shown.server, isSettled }
    if (follower === null) return state
    await follower.learnState(id, shown.beside ?? null)
    return { ...state, isStillValid: (before, basis) => follower.isStillValid(before, id, basis) }
  }

  const question = shareQuestion(async () => {
    questions += 1
    const askedAt = performance.now()
    const state = await answerOf(await ask(), askedAt)
    last = { state, askedAt }
    return state
  }, oldest)

  const askMeanwhile = (): void => {
    // A failure is raised where the next question is waited for.
    question().catch(() => undefined)
  }

  return {
    now: () => {
      if (oldest === 0 || last === undefined || last.state === 'unknown') return question()
      const age = performance.now() - last.askedAt
      if (age > oldest) return question()
      if (age > oldest / 2) askMeanwhile()
      return Promise.resolve(last.state)
    },
    questions: () => questions,
  }
}
