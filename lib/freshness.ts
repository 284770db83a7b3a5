// Comes in: a database, and a way to ask it on a connection of its own. Goes out: which state it is in, and what was read
// before and still holds. Refused: nothing; where the database cannot tell its state, nothing is taken to hold.
import type { Database, DialectName } from './database'
import type { AskState, Follower } from './freshness/database-state'
import { type KnownTotals, makeKnownTotals, makePageStateReader } from './freshness/known-totals'
import { mysqlProbe } from './freshness/mysql-probe'
import { makePostgresProbe } from './freshness/postgres-probe'
import type { Probe } from './freshness/probe'
import { makeProbing, type OnOwnConnection, type Probing, type ProbingSettings } from './freshness/probing'
import { makeSqliteProbe } from './freshness/sqlite-probe'
import { watchStates, makeStateClock } from './freshness/state-clock'

export {
  type Basis,
  type BasisRows,
  onTables,
  askOnce,
  type AskState,
  type DatabaseState,
  keepableBy,
  stillHoldsIn,
  type StateAnswer,
  type Follower,
  remember,
  type Remembered,
  rememberEach,
} from './freshness/database-state'
export type { KnownTotal, KnownTotals } from './freshness/known-totals'
export { mysqlServer } from './freshness/mysql-probe'
export type { PageState } from './freshness/state-clock'
export { postgresState } from './freshness/postgres-probe'
export type { RunSql } from './freshness/probe'
export { type LeftState, type OnOwnConnection, readsFrom, type StateRead } from './freshness/probing'
export { sqliteState } from './freshness/sqlite-probe'

/** By what is read beside each state; null for nothing. */
const probes: Readonly<Record<DialectName, (beside: string | null) => Probe>> = {
  sqlite: makeSqliteProbe,
  mysql: () => mysqlProbe,
  postgres: makePostgresProbe,
}

export interface FreshnessSettings extends ProbingSettings {
  /** How old an answer may be. Null: nothing is kept, and the state of the database is not asked for. */
  readonly freshness: 'strict' | number | null
  readonly follower: Follower | null
}

export interface Freshness {
  readonly state: AskState
  readonly stateBehind: Probing['stateBehind']
  /** Rejects where the server takes connections, and would refuse whoever reads. Warns where nothing can be kept. */
  readonly checkServer: () => Promise<void>
  /** True if nothing in the basis changed between both states; false without a follower. */
  readonly isStillValid: Follower['isStillValid']
  /** Null without a follower. */
  readonly isFollowing: Follower['isFollowing'] | null
  readonly totals: KnownTotals
  /** How many times the database was asked for its state. */
  readonly questions: () => number
}

export function makeFreshness(
  database: Database,
  onOwnConnection: OnOwnConnection,
  settings: FreshnessSettings,
): Freshness {
  const { freshness, follower } = settings
  const probe = probes[database.dialect](follower?.beside ?? null)
  const probing = makeProbing(probe, onOwnConnection, settings)
  const states = watchStates()
  const page = makePageStateReader({ probe, probing, states })
  const clock =
    freshness === null
      ? null
      : makeStateClock(probing.read, states, { ahead: probe.ahead, freshness, follower })
  return {
    state: clock?.now ?? (() => Promise.resolve('unasked')),
    stateBehind: probing.stateBehind,
    checkServer: async () => {
      if (probe.check !== undefined) await onOwnConnection(probe.check)
      if (freshness !== null) await probing.countsAll()
    },
    isStillValid: follower?.isStillValid ?? (() => false),
    isFollowing: follower?.isFollowing ?? null,
    totals: makeKnownTotals({ probing, states, page, follower }, probe),
    questions: clock?.questions ?? (() => 0),
  }
}
