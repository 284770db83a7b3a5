import { setTimeout as pause } from 'node:timers/promises'
import type { Follower } from '../../lib/freshness'
import { type AskRows, type CoveredTables, readCoveredTables } from './covered-tables'
import { endOfLog } from './decode'
import type { FollowedLog, FollowingSettings } from './followed-log'
import { type Snapshot, isSeen, readSnapshot, seesAllOf, wholeNumber } from './snapshot'
import type { ChangedTables, ToldCommit } from './take-changes'

/** Is told what changed, once everybody who asks sees it, in the order of the commits. Null: anything may have. */
export type OnChanged = (tables: ChangedTables | null) => void

export interface WatchedLogSettings extends Pick<FollowingSettings, 'ask' | 'publication' | 'server'> {
  readonly isRead: (table: string) => boolean
  readonly learnState: Follower['learnState']
  readonly onChanged: OnChanged
}

/** One feed that is watched, from its beginning. */
export interface WatchedLog {
  readonly followed: FollowedLog
  /** Tells of commits that can be seen by now, as many as one turn has time for. `false` where there are none. */
  readonly tellCommits: () => Promise<boolean>
  /** Transactions that the log does not tell of: they change nothing that is read, unless they change what tables are. */
  readonly lookForUntold: () => Promise<void>
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

const sees = (snapshot: Snapshot, { transaction }: ToldCommit): boolean =>
  isSeen(snapshot, wholeNumber(transaction, snapshot.next))

/** Milliseconds until others are served in between: of each of many commits, each of many who listen is told, or is not. */
const longestTurn = 10

/** Those at the beginning that are ready, as many as there is time for. */
function* takenInTurn(
  commits: FollowedLog['commits'],
  isReady: (commit: ToldCommit) => boolean,
): Generator<ToldCommit> {
  const end = performance.now() + longestTurn
  while (performance.now() < end) {
    const first = commits.first()
    if (first === undefined || !isReady(first)) return
    commits.takeFirst()
    yield first
  }
}

/** Says at once that anything may have changed: nobody has told of what came before. Null where the server cannot be followed. */
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
  const tell = ({ tables, isPlain }: ToldCommit, latest: CoveredTables | null): void => {
    if (tables === null) onChanged(null)
    else if (isPlain) onChanged(tables)
    else if (latest === null || isRedefined(latest)) onChanged(null)
    else if ([...tables.keys()].some(isRead)) onChanged(tables)
  }
  const tellSeen = (seen: Snapshot | null, latest: CoveredTables | null): boolean => {
    const isReady = (commit: ToldCommit): boolean =>
      (commit.isPlain || commit.tables === null || latest !== null) && seen !== null && sees(seen, commit)
    let hasTold = false
    for (const commit of takenInTurn(commits, isReady)) {
      tell(commit, latest)
      hasTold = true
    }
    return hasTold
  }
  /** Whether there may be changes in tables that are read, or to their definitions, that are told under no name of theirs. */
  const isUntold = async (before: Snapshot, seen: Snapshot): Promise<boolean> => {
    const isOther = !book.isNothingUntold(before, seen) && isRedefined(await readCovered())
    return isOther || (covered.uncovered.some(isRead) && !seesAllOf(before, seen))
  }

  return {
    followed,
    tellCommits: async () => {
      // What else than rows a transaction changed is found in the catalog.
      const latest = commits.arePlain() ? null : await readCovered()
      const seen = latest === null ? (await look(ask, server))?.snapshot : latest.snapshot
      return tellSeen(seen ?? null, latest)
    },
    lookForUntold: async () => {
      const seen = await look(ask, server)
      if (seen === null || snapshot === null) return
      await learnState(seen.state, seen.end)
      if (!book.knows(seen.snapshot)) return
      const mustTell = await isUntold(snapshot, seen.snapshot)
      snapshot = seen.snapshot
      if (mustTell) onChanged(null)
    },
  }
}

/** How often it is looked for what the log does not tell: definitions, what is published, and whether it is followed at all. */
const betweenLooks = 1000

/** How long a commit may be told of and not be seen yet, until it is looked once more; at first, and at last. */
const shortest = 1
const longest = 500

export interface WatchSettings extends WatchedLogSettings {
  /** Null where it has not begun, or is over; then it is begun. */
  readonly now: () => FollowedLog | null
}

export interface WatchedChanges {
  /** There are commits to be told of. */
  readonly onCommit: () => void
  readonly close: () => void
}

/** What the feed tells, and what it leaves out: as soon as it can be seen, and at the latest within a second or two. */
export function watchChanges(settings: WatchSettings): WatchedChanges {
  const { now } = settings
  let watched: WatchedLog | null = null
  let isWorking = false
  let isClosed = false
  let lookAt = 0

  const tellCommits = async ({ followed, tellCommits: tell }: WatchedLog): Promise<void> => {
    let wait = shortest
    while (followed.commits.size() > 0 && !followed.isOver() && !isClosed) {
      if (await tell()) wait = shortest
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
    await tellCommits(watched)
    if (performance.now() < lookAt) return
    lookAt = performance.now() + betweenLooks
    await watched.lookForUntold()
  }
  const start = (): void => {
    if (isWorking || isClosed) return
    isWorking = true
    // Where the database cannot be asked, it is asked again.
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
