// Comes in: a database, and a way to ask it on a connection of its own. Goes out: which state it is in, and what was read
// before and still holds. Refused: nothing; where the database cannot tell its state, nothing is taken to hold.
import type { Database } from './database'
import type { ChangeFeed } from './feed'
import type { AskState } from './freshness/database-state'
import { type KnownTotals, makeKnownTotals } from './freshness/known-totals'
import { mysqlProbe } from './freshness/mysql-probe'
import { makePageStateReader } from './freshness/page-state'
import { followedPostgresProbe, postgresProbe } from './freshness/postgres-probe'
import type { Probe } from './freshness/probe'
import { makeProbing, type OnOwnConnection, type Probing, type ProbingSettings } from './freshness/probing'
import { makeSqliteProbe } from './freshness/sqlite-probe'
import { watchStates } from './freshness/standing-states'
import { makeStateClock } from './freshness/state-clock'

export {
  askOnce,
  type AskState,
  type DatabaseState,
  keepableBy,
  stillHoldsIn,
  type StateAnswer,
} from './freshness/database-state'
export type { KnownTotal, KnownTotals } from './freshness/known-totals'
export { mysqlServer } from './freshness/mysql-probe'
export type { PageState } from './freshness/standing-states'
export { postgresState } from './freshness/postgres-probe'
export type { RunSql } from './freshness/probe'
export { type LeftState, type OnOwnConnection, readsFrom, type StateRead } from './freshness/probing'
export { remember, type Remembered } from './freshness/remember'
export { rememberEach } from './freshness/remember-each'
export { sqliteState } from './freshness/sqlite-probe'

function probeFor({ dialect }: Database, feed: ChangeFeed | null): Probe {
  switch (dialect) {
    case 'sqlite':
      return makeSqliteProbe()
    case 'mysql':
      return mysqlProbe
    case 'postgres':
      return feed === null ? postgresProbe : followedPostgresProbe()
  }
}

export interface FreshnessSettings extends ProbingSettings {
  /** How old an answer may be. Null: nothing is kept, and the state of the database is not asked for. */
  readonly freshness: 'strict' | number | null
  /** Null where nobody follows what changes. */
  readonly feed?: ChangeFeed | null
}

export interface Freshness {
  readonly state: AskState
  readonly stateBehind: Probing['stateBehind']
  /** Rejects where the server takes connections, and would refuse whoever reads. Warns where nothing can be kept. */
  readonly checkServer: () => Promise<void>
  /** Whether nothing that something rests on is another in the second state; `false` where nobody tells. */
  readonly isSame: ChangeFeed['isSame']
  /** Null where nobody follows what changes. */
  readonly feed: ChangeFeed | null
  readonly totals: KnownTotals
  /** How many times the database was asked for its state. */
  readonly questions: () => number
}

export function makeFreshness(
  database: Database,
  onOwnConnection: OnOwnConnection,
  settings: FreshnessSettings,
): Freshness {
  const { freshness, feed = null } = settings
  const probe = probeFor(database, feed)
  const probing = makeProbing(probe, onOwnConnection, settings)
  const states = watchStates()
  const page = makePageStateReader(database, { probe, probing, states })
  const clock =
    freshness === null ? null : makeStateClock(probing.read, states, { ahead: probe.ahead, freshness, feed })
  return {
    state: clock?.now ?? (() => Promise.resolve('unasked')),
    stateBehind: probing.stateBehind,
    checkServer: async () => {
      if (probe.check !== undefined) await onOwnConnection(probe.check)
      if (freshness !== null) await probing.countsAll()
    },
    isSame: feed?.isSame ?? (() => false),
    feed,
    totals: makeKnownTotals({ probing, states, page, feed }, probe),
    questions: clock?.questions ?? (() => 0),
  }
}
