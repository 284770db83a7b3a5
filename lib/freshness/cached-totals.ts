import { makeMemory } from '../memory'
import type { Basis, Follower } from './database-state'
import { type PageEvidence, type Probe, type Probing, stateOf } from './probing'
import type { PageState, StandingStates } from './state-clock'

/** Smaller totals are counted about as fast as the slowest database reads its state. */
const least = 3000

const maxBytes = 1024 * 1024

/** The texts of two states. */
const bytesOfOne = 800

/** A total waits this many times longer than a body for commits to become visible, as without a cache nothing waits. */
const patience = 10

export interface CachedTotal {
  /** Finds the state of the database that a page shows. */
  readonly page: {
    /** Reads the state behind the statement of a page; null if that statement shows it. */
    readonly ask: Probing['readOn'] | null
    readonly read: (page: PageEvidence) => PageState | null
  }
  /** True if the page is worth reading without its total. */
  readonly isLikely: boolean
  readonly totalIn: (seen: PageState) => Promise<number | undefined>
  readonly learn: (seen: PageState, total: number) => void
}

/** The key of a total, equal for plans with an equal count; null without one. */
type NameTotal = () => string | null

interface CountedCondition {
  readonly totals: WeakMap<
    object,
    { readonly state: string; readonly total: number; readonly learnedAt: number }
  >
  last: PageState | null
}

interface TotalsSettings {
  readonly probe: Probe
  readonly probing: Probing
  readonly states: StandingStates
  readonly follower: Follower | null
}

/** Cached totals: a count costs more than its page. */
export function makeCachedTotals({ probe, probing, states, follower }: TotalsSettings) {
  const kept = makeMemory<CountedCondition>({ maxBytes, bytesOf: () => bytesOfOne })

  const page: CachedTotal['page'] = {
    ask: probe.isAskedBehindPage === true ? probing.readOn : null,
    read: (evidence) => {
      const shown = probe.ofPage(evidence)
      const state = shown && stateOf(shown)
      if (shown === null || state === null) return null
      const source = probe.isOfConnection === true ? evidence.connection : states.ofServer(shown.server)
      const seen = { source, state }
      states.observe(seen)
      return seen
    },
  }

  const cachedTotal = (counted: CountedCondition, basis: () => Basis): CachedTotal => {
    const begun = performance.now()
    const { last } = counted
    return {
      page,
      isLikely:
        states.isStanding(last) ||
        (last !== null && follower?.isStillValid(last.state, null, basis()) === true),
      totalIn: async ({ source, state }) => {
        const found = counted.totals.get(source)
        // A state that was read behind a page may be older than a total that was counted meanwhile.
        if (found === undefined || (page.ask !== null && found.learnedAt > begun)) return undefined
        if (found.state === state) return found.total
        const own = basis()
        if (follower?.isStillValid(found.state, null, own) !== true) return undefined
        await follower.learnState(state, null)
        return follower.isStillValid(found.state, state, own) ? found.total : undefined
      },
      learn: (seen, total) => {
        if (!states.hasStood(seen, patience * probe.ahead, begun)) return
        counted.totals.set(seen.source, { state: seen.state, total, learnedAt: performance.now() })
        counted.last = seen
      },
    }
  }

  return {
    /** Null if the total was never counted. */
    find: async (name: NameTotal, basis: () => Basis): Promise<CachedTotal | null> => {
      if (kept.size === 0) return null
      const key = name()
      const counted = key === null ? undefined : kept.get(key)
      return counted !== undefined && (await probing.countsAll()) ? cachedTotal(counted, basis) : null
    },
    counted: (name: NameTotal, total: number | null) => {
      if (total === null || total < least) return
      const key = name()
      if (key !== null && !kept.has(key)) kept.set(key, { totals: new WeakMap(), last: null })
    },
    clear: () => {
      kept.clear()
    },
  }
}
