import { makeMemory } from '../memory'
import type { Basis, Follower } from './database-state'
import type { Probe, PageTold, ProbeResult, RunSql } from './probe'
import type { Probing } from './probing'
import { type PageState, type StandingStates, stateOf } from './state-clock'

/** Finds out which state of the database a page shows. */
interface PageStateReader {
  /** Asks for what the statement of a page cannot tell; to be sent behind that. */
  readonly ask: ((run: RunSql, connection: object) => Promise<ProbeResult | null>) | null
  /** Null where nothing follows from what was told. */
  readonly read: (told: PageTold) => PageState | null
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
    read: (told) => {
      const shown = probe.ofPage(told)
      const state = shown && stateOf(shown)
      if (shown === null || state === null) return null
      const source = probe.isOfConnection === true ? told.connection : states.ofServer(shown.server)
      const seen = { source, state }
      states.observe(seen)
      return seen
    },
  }
}

/** Fewer are counted about as fast as the slowest database tells its state. */
const least = 3000

/** Of totals. */
const maxBytes = 1024 * 1024

/** The texts of two states. */
const bytesOfOne = 800

/** Longer than bodies wait for what is committed to be seen: without a cache no request is expected to wait for a commit. */
const patience = 10

/** What is known of a total, and what a reading may add. */
export interface KnownTotal {
  readonly page: PageStateReader
  /** Whether the page is worth reading without its total. */
  readonly isLikely: boolean
  readonly totalIn: (seen: PageState) => Promise<number | undefined>
  readonly learn: (seen: PageState, total: number) => void
}

/** Names what is counted, the same for plans that count the same; null where its text does not tell. */
type NameTotal = () => string | null

/** What it rests on; asked for where it is known what changed. */
type BasisOfTotal = () => Basis

/** Totals that hold for as long as nothing is committed, or nothing that they rest on: a count costs more than the page that it stands beside. */
export interface KnownTotals {
  /** Null where nothing like it has been counted before, and nothing need be asked. */
  readonly find: (name: NameTotal, basis: BasisOfTotal) => Promise<KnownTotal | null>
  readonly counted: (name: NameTotal, total: number | null) => void
  readonly clear: () => void
}

/** The total of one condition. */
interface CountedCondition {
  /** By whose states they are. */
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

interface CountedBefore {
  readonly counted: CountedCondition
  readonly basis: BasisOfTotal
}

async function holdsIn(follower: Follower, now: string, before: string, basis: Basis): Promise<boolean> {
  if (!follower.isStillValid(before, null, basis)) return false
  await follower.learnState(now, null)
  return follower.isStillValid(before, now, basis)
}

function knownTotal(
  { counted, basis }: CountedBefore,
  { states, page, follower }: TotalsSurroundings,
  settling: number,
): KnownTotal {
  const begun = performance.now()
  const { last } = counted
  /** Where the state is asked for behind a page, what that shows may be older than what was counted meanwhile. */
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
      if (follower === null) return undefined
      return (await holdsIn(follower, state, found.state, basis())) ? found.total : undefined
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
