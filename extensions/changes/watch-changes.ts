import { setTimeout as pause } from 'node:timers/promises'
import type { Follower } from '../../lib/freshness'
import { type AskRows, type CoveredTables, readCoveredTables } from './covered-tables'
import { endOfLog } from './decode'
import type { FollowedLog, FollowingSettings } from './followed-log'
import { type Snapshot, isSeen, readSnapshot, seesAllOf, wholeNumber } from './snapshot'
import type { ChangedTables, LoggedCommit } from './take-changes'

/** Called with what changed, once new requests see it, in the order of commits. Null: anything may have changed. */
export type OnChanged = (tables: ChangedTables | null) => void

export interface WatchedLogSettings extends Pick<FollowingSettings, 'ask' | 'publication' | 'server'> {
  readonly isRead: (table: string) => boolean
  readonly learnState: Follower['learnState']
  readonly onChanged: OnChanged
}

/** One feed that is watched, from its beginning. */
export interface WatchedLog {
  readonly followed: FollowedLog
  /** Reports commits that are visible by now, as many as one turn has time for. `false` where there are none. */
  readonly reportCommits: () => Promise<boolean>
  /** Looks for transactions that are not logged: they matter only if they change definitions. */
  readonly checkUnlogged: () => Promise<void>
}

interface ServerLook {
  readonly snapshot: Snapshot
  readonly state: string
  readonly end: string | null
}

async function look(ask: AskRows, server: string): Promise<ServerLook | null> {
  const [[text, name, end] = []] = await ask(`select pg_current_snapshot()::text, ${server}, ${endOfLog}`)
  const snapshot = readSnapshot(String(text))
  if (snapshot === null) return null
  const state = `${String(text)} ${String(name)}`
  return { snapshot, state, end: typeof end === 'string' ? end : null }
}

const sees = (snapshot: Snapshot, { transaction }: LoggedCommit): boolean =>
  isSeen(snapshot, wholeNumber(transaction, snapshot.next))

/** Milliseconds until other requests are served: each of many commits is compared with each of many listeners. */
const longestTurn = 10

/** Those at the beginning that are ready, as many as there is time for. */
function* takenInTurn(
  commits: FollowedLog['commits'],
  isReady: (commit: LoggedCommit) => boolean,
): Generator<LoggedCommit> {
  const end = performance.now() + longestTurn
  while (performance.now() < end) {
    const first = commits.first()
    if (first === undefined || !isReady(first)) return
    commits.takeFirst()
    yield first
  }
}

/** Reports at once that anything may have changed, as what came before is unknown. Null where the server cannot be followed. */
export async function watchLog(
  followed: FollowedLog,
  { ask, publication, server, isRead, learnState, onChanged }: WatchedLogSettings,
): Promise<WatchedLog | null> {
  const { commits, book } = followed
  const readCovered = (): Promise<CoveredTables> => readCoveredTables(ask, publication, server)
  let covered = await readCovered()
  let { snapshot } = covered
  if (snapshot === null) return null
  onChanged(null)

  /** Whether a definition is another than it was, so that any answer may be. */
  const isRedefined = (latest: CoveredTables): boolean => {
    const isOther = latest.mark(isRead) !== covered.mark(isRead)
    covered = latest
    return isOther
  }
  const report = ({ tables, isPlain }: LoggedCommit, latest: CoveredTables | null): void => {
    if (tables === null) onChanged(null)
    else if (isPlain) onChanged(tables)
    else if (latest === null || isRedefined(latest)) onChanged(null)
    else if ([...tables.keys()].some(isRead)) onChanged(tables)
  }
  const reportSeen = (seen: Snapshot | null, latest: CoveredTables | null): boolean => {
    const isReady = (commit: LoggedCommit): boolean =>
      (commit.isPlain || commit.tables === null || latest !== null) && seen !== null && sees(seen, commit)
    let hasReported = false
    for (const commit of takenInTurn(commits, isReady)) {
      report(commit, latest)
      hasReported = true
    }
    return hasReported
  }
  /** True if tables that are read, or their definitions, may have changed without a log entry under their name. */
  const isUnlogged = async (before: Snapshot, seen: Snapshot): Promise<boolean> => {
    const isOther = !book.areAllNamed(before, seen) && isRedefined(await readCovered())
    return isOther || (covered.uncovered.some(isRead) && !seesAllOf(before, seen))
  }

  return {
    followed,
    reportCommits: async () => {
      // What else than rows a transaction changed is found in the catalog.
      const latest = commits.arePlain() ? null : await readCovered()
      const seen = latest === null ? (await look(ask, server))?.snapshot : latest.snapshot
      return reportSeen(seen ?? null, latest)
    },
    checkUnlogged: async () => {
      const seen = await look(ask, server)
      if (seen === null || snapshot === null) return
      await learnState(seen.state, seen.end)
      if (!book.knows(seen.snapshot)) return
      const mustReport = await isUnlogged(snapshot, seen.snapshot)
      snapshot = seen.snapshot
      if (mustReport) onChanged(null)
    },
  }
}

/** How often definitions, the publication and the connection are checked, which the log does not report. */
const betweenLooks = 1000

/** Milliseconds until a logged commit that is not visible yet is checked again; at first, and at most. */
const shortest = 1
const longest = 500

export interface WatchSettings extends WatchedLogSettings {
  /** Null where it has not begun, or is over; then it is begun. */
  readonly now: () => FollowedLog | null
}

export interface WatchedChanges {
  /** There are commits to report. */
  readonly onCommit: () => void
  readonly close: () => void
}

/** Reports what the log has as soon as it is visible, and what it leaves out within a second or two. */
export function watchChanges(settings: WatchSettings): WatchedChanges {
  const { now } = settings
  let watched: WatchedLog | null = null
  let isWorking = false
  let isClosed = false
  let lookAt = 0

  const reportAll = async ({ followed, reportCommits }: WatchedLog): Promise<void> => {
    let wait = shortest
    while (followed.commits.size() > 0 && !followed.isOver() && !isClosed) {
      if (await reportCommits()) wait = shortest
      else {
        await pause(wait, undefined, { ref: false })
        wait = Math.min(2 * wait, longest)
      }
    }
  }
  const work = async (): Promise<void> => {
    const followed = now()
    if (followed === null) return
    if (watched?.followed !== followed) watched = await watchLog(followed, settings)
    if (watched === null) return
    await reportAll(watched)
    if (performance.now() < lookAt) return
    lookAt = performance.now() + betweenLooks
    await watched.checkUnlogged()
  }
  const start = (): void => {
    if (isWorking || isClosed) return
    isWorking = true
    // A database that cannot be reached is tried again.
    work()
      .catch(() => pause(longest, undefined, { ref: false }))
      .finally(() => {
        isWorking = false
        if (!isClosed && (now()?.commits.size() ?? 0) > 0) setImmediate(start)
      })
  }
  const timer = setInterval(start, betweenLooks).unref()
  setImmediate(start)
  return {
    onCommit: start,
    close: () => {
      isClosed = true
      clearInterval(timer)
    },
  }
}
