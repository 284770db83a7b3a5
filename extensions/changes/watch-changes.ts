import { setTimeout as pause } from 'node:timers/promises'
import type { Follower } from '../../lib/freshness'
import { type AskRows, type CoveredTables, readCoveredTables } from './covered-tables'
import { endOfLog } from './decode'
import type { FollowedLog, FollowingSettings } from './followed-log'
import { type Snapshot, isSeen, readSnapshot, seesAllOf, wholeNumber } from './snapshot'
import type { ChangedTables, LoggedCommit } from './take-changes'

/** Called in the order of commits, once new requests see the change. Null: anything may have changed. */
export type OnChanged = (tables: ChangedTables | null) => void

export interface WatchedLogSettings extends Pick<FollowingSettings, 'ask' | 'publication' | 'server'> {
  readonly isRead: (table: string) => boolean
  readonly learnState: Follower['learnState']
  readonly onChanged: OnChanged
}

export interface WatchedLog {
  readonly followed: FollowedLog
  /** Reports visible commits, as many as one turn has time for. `false` without any. */
  readonly reportCommits: () => Promise<boolean>
  /** Checks transactions without a log entry: they matter only if they change definitions. */
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

/** Milliseconds until other requests are served: each commit is compared for each listener. */
const longestTurn = 10

/** The ready commits at the head, within the time limit. */
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

/** First reports that anything may have changed, as earlier changes are unknown. Null if the server cannot be followed. */
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

  /** True if a definition changed, which may affect any response. */
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
      (commit.isPlain || commit.tables === null || latest !== null) &&
      seen !== null &&
      isSeen(seen, wholeNumber(commit.transaction, seen.next))
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
      // Changes other than rows are found in the catalog.
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

/** Milliseconds between two checks of definitions, the publication and the connection, which the log does not report. */
const betweenLooks = 1000

/** Milliseconds until an invisible logged commit is checked again; at first, and at most. */
const shortest = 1
const longest = 500

export interface WatchSettings extends WatchedLogSettings {
  /** Null before the connection has begun, and after it has ended; the call starts it. */
  readonly now: () => FollowedLog | null
}

export interface WatchedChanges {
  readonly onCommit: () => void
  readonly close: () => void
}

/** Reports logged commits once they are visible, and changes outside the log within two seconds. */
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
