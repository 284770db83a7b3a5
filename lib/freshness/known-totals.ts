import { makeMemory } from '../memory'
import type { Basis, Follower } from './database-state'
import type { Probe, PageEvidence, ProbeResult, RunSql } from './probe'
import type { Probing } from './probing'
import { type PageState, type StandingStates, stateOf } from './state-clock'

/** Finds the state of the database that a page shows. */
interface PageStateReader {
  /** Reads the state behind the statement of a page; null if that statement shows it. */
  readonly ask: ((run: RunSql, connection: object) => Promise<ProbeResult | null>) | null
  readonly read: (page: PageEvidence) => PageState | null
}

export function makePageStateReader({
  probe,
  probing,
  states,
}: {
  readonly probe: Probe
  readonly probing: Probing
  readonly states: StandingStates
}): PageStateReader {
  return {
    ask: probe.isAskedBehindPage === true ? probing.readOn : null,
    read: (page) => {
      const shown = probe.ofPage(page)
      const state = shown && stateOf(shown)
      if (shown === null || state === null) return null
      const source = probe.isOfConnection === true ? page.connection : states.ofServer(shown.server)
      const seen = { source, state }
      states.observe(seen)
      return seen
    },
  }
}

/** Smaller totals are counted about as fast as the slowest database reads its state. */
const least = 3000

const maxBytes = 1024 * 1024

/** The texts of two states. */
const bytesOfOne = 800

/** How many times longer than bodies a total waits for commits to become visible, because without a cache nothing waits. */
const patience = 10

export interface KnownTotal {
  readonly page: PageStateReader
  /** True if the page is worth reading without its total. */
  readonly isLikely: boolean
  readonly totalIn: (seen: PageState) => Promise<number | undefined>
  readonly learn: (seen: PageState, total: number) => void
}

/** The key of a total, equal for plans with an equal count; null without one. */
type NameTotal = () => string | null

/** Cached totals: a count costs more than its page. */
export interface KnownTotals {
  /** Null if the total was never counted. */
  readonly find: (name: NameTotal, basis: () => Basis) => Promise<KnownTotal | null>
  readonly counted: (name: NameTotal, total: number | null) => void
  readonly clear: () => void
}

interface CountedCondition {
  /** By the source of the state. */
  readonly totals: WeakMap<
    object,
    { readonly state: string; readonly total: number; readonly learnedAt: number }
  >
  last: PageState | null
}

interface TotalsSurroundings {
  readonly probing: Probing
  readonly states: StandingStates
  readonly page: PageStateReader
  readonly follower: Follower | null
}

function knownTotal(
  { counted, basis }: { readonly counted: CountedCondition; readonly basis: () => Basis },
  { states, page, follower }: TotalsSurroundings,
  settling: number,
): KnownTotal {
  const begun = performance.now()
  const { last } = counted
  // A state that was read behind a page may be older than a total that was counted meanwhile.
  const isInTime = (learnedAt: number): boolean => page.ask === null || learnedAt <= begun
  return {
    page,
    isLikely:
      states.isStanding(last) ||
      (last !== null && follower?.isStillValid(last.state, null, basis()) === true),
    totalIn: async ({ source, state }) => {
      const found = counted.totals.get(source)
      if (found === undefined || !isInTime(found.learnedAt)) return undefined
      if (found.state === state) return found.total
      const own = basis()
      if (follower?.isStillValid(found.state, null, own) !== true) return undefined
      await follower.learnState(state, null)
      return follower.isStillValid(found.state, state, own) ? found.total : undefined
    },
    learn: (seen, total) => {
      if (!states.hasStood(seen, settling, begun)) return
      counted.totals.set(seen.source, { state: seen.state, total, learnedAt: performance.now() })
      counted.last = seen
    },
  }
}

export function makeKnownTotals(surroundings: TotalsSurroundings, { ahead }: Probe): KnownTotals {
  const kept = makeMemory<CountedCondition>({ maxBytes, bytesOf: () => bytesOfOne })
  return {
    find: async (name, basis) => {
      if (kept.size === 0) return null
      const key = name()
      const counted = key === null ? undefined : kept.get(key)
      return counted !== undefined && (await surroundings.probing.countsAll())
        ? knownTotal({ counted, basis }, surroundings, patience * ahead)
        : null
    },
    counted: (name, total) => {
      if (total === null || total < least) return
      const key = name()
      if (key !== null && !kept.has(key)) kept.set(key, { totals: new WeakMap(), last: null })
    },
    clear: () => {
      kept.clear()
    },
  }
}
