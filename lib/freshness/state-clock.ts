import { makeMemory, once } from '../memory'
import type { KnownState, Follower } from './database-state'
import { type ProbeResult, stateOf } from './probing'

export interface PageState {
  /** The server, or the connection on SQLite: states of different sources are not comparable. */
  readonly source: object
  /** Never repeated after a commit. */
  readonly state: string
}

/** An address may lead to many servers, one after the other. */
const maxBytes = 100_000

/** The last state of each server: behind a balancer several respond by turns. */
export function watchStates() {
  /** `isNew`: another state was seen just before. */
  const last = new WeakMap<
    object,
    { readonly state: string; readonly since: number; readonly isNew: boolean }
  >()
  const servers = makeMemory<object>({ maxBytes })
  return {
    ofServer: (server: string) => once(servers, server, () => ({})),
    /** True if it was the last state twice in a row: a busy database never stands still. */
    isStanding: (seen: PageState | null) => {
      const now = seen === null ? undefined : last.get(seen.source)
      return now !== undefined && now.state === seen?.state && !now.isNew
    },
    /** True if it was seen so many milliseconds before then, and no other of its source since. */
    hasStood: ({ source, state }: PageState, milliseconds: number, then: number) => {
      if (milliseconds === 0) return true
      const now = last.get(source)
      return now?.state === state && then - now.since >= milliseconds
    },
    observe: ({ source, state }: PageState) => {
      const before = last.get(source)
      if (before?.state !== state) {
        last.set(source, { state, since: performance.now(), isNew: before !== undefined })
      } else if (before.isNew) last.set(source, { ...before, isNew: false })
    },
  }
}

export type StandingStates = ReturnType<typeof watchStates>

/** Shares a read that began after the request, or at most `oldest` milliseconds before. Others share the next one. */
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

interface StateClockSettings {
  /** Milliseconds by which the counter may be ahead of the visible data. */
  readonly ahead: number
  readonly freshness: 'strict' | number
  readonly follower?: Follower | null
}

export function makeStateClock(
  ask: () => Promise<ProbeResult | null>,
  states: StandingStates,
  { ahead, freshness, follower = null }: StateClockSettings,
) {
  const oldest = freshness === 'strict' ? 0 : freshness
  let questions = 0
  let last: { readonly state: KnownState; readonly askedAt: number } | undefined

  const answerOf = async (shown: ProbeResult | null, askedAt: number): Promise<KnownState> => {
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

  return {
    /** The state at the time of the call, or at most `freshness` before it. */
    now: (): Promise<KnownState> => {
      if (oldest === 0 || last === undefined || last.state === 'unknown') return question()
      const age = performance.now() - last.askedAt
      if (age > oldest) return question()
      // A failure is thrown by the next read that a request waits for.
      if (age > oldest / 2) question().catch(() => undefined)
      return Promise.resolve(last.state)
    },
    /** Number of reads of the state. */
    questions: () => questions,
  }
}
