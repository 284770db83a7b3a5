// Input: a database, and a connection of its own. Output: the state of the database, and cached results that are still
// valid. Rejected: nothing. In an unknown state no cached result is valid.
import type { Database } from './database'
import type { Follower } from './freshness/database-state'
import { makeCachedTotals } from './freshness/cached-totals'
import { probes } from './freshness/probes'
import { makeProbing, type OnOwnConnection, type ProbingSettings } from './freshness/probing'
import { watchStates, makeStateClock } from './freshness/state-clock'

export * from './freshness/database-state'
export type { CachedTotal } from './freshness/cached-totals'
export { mysqlServer, postgresState, sqliteState } from './freshness/probes'
export type { PageState } from './freshness/state-clock'
export type * from './freshness/probing'
export { readsFrom } from './freshness/probing'

interface FreshnessSettings extends ProbingSettings {
  /** The age of a cached response in milliseconds, at most. Null: no cache, and the state is never read. */
  readonly freshness: 'strict' | number | null
  readonly follower: Follower | null
}

export function makeFreshness(
  database: Database,
  onOwnConnection: OnOwnConnection,
  settings: FreshnessSettings,
) {
  const { freshness, follower } = settings
  const probe = probes[database.dialect](follower?.beside ?? null)
  const probing = makeProbing(probe, onOwnConnection, settings)
  const states = watchStates()
  const clock =
    freshness === null
      ? null
      : makeStateClock(probing.read, states, { ahead: probe.ahead, freshness, follower })
  return {
    state: clock?.now ?? (() => Promise.resolve('unasked' as const)),
    stateBehind: probing.stateBehind,
    /** Rejects if the server accepts connections and refuses reads. Warns if nothing can be cached. */
    checkServer: async () => {
      if (probe.check !== undefined) await onOwnConnection(probe.check)
      if (freshness !== null) await probing.countsAll()
    },
    /** True if nothing in the basis changed between both states; false without a follower. */
    isStillValid: follower?.isStillValid ?? (() => false),
    follower,
    totals: makeCachedTotals({ probe, probing, states, follower }),
    /** Number of reads of the state. */
    questions: clock?.questions ?? (() => 0),
  }
}

export type Freshness = ReturnType<typeof makeFreshness>
