import { type ChangeBook, makeChangeBook } from './change-book'
import { type AskRows, type CoveredTables, readCoveredTables } from './covered-tables'
import type { LogMessage, LogPlace } from './decode'
import { type ReplicationClient, type StreamStart, makeReplicationStream } from './replication'
import { type TakingChanges, type LoggedCommit, takeChanges } from './take-changes'
import { type WaitingCommits, makeWaitingCommits } from './waiting-commits'

/** Checks conditions again after each event. */
export interface Waiting {
  /** Waits for a condition, at most this many milliseconds. */
  readonly until: (isSo: () => boolean, milliseconds: number) => Promise<void>
  readonly look: () => void
}

export function makeWaiting(): Waiting {
  const waiting = new Set<() => void>()
  return {
    until: (isSo, milliseconds) =>
      new Promise((resolve) => {
        if (isSo()) {
          resolve()
          return
        }
        const leave = (): void => {
          clearTimeout(timer)
          waiting.delete(look)
          resolve()
        }
        const look = (): void => {
          if (isSo()) leave()
        }
        const timer = setTimeout(leave, milliseconds)
        waiting.add(look)
      }),
    look: () => {
      for (const one of waiting) one()
    },
  }
}

/** Milliseconds between two checks of the retained log. */
const betweenLooks = 10_000

/** Longer than any silence of the server. */
const longestSilence = 60_000

/** Milliseconds between two readings of the published tables, after they may have changed. */
const betweenReadings = 1000

export interface FollowedLog {
  readonly book: ChangeBook
  readonly reached: () => LogPlace
  readonly covered: () => CoveredTables
  /** Reads the published tables again, rate-limited. */
  readonly readCovered: () => void
  readonly isOver: () => boolean
  /** Bytes of the log that the slot retains; null before the first check. */
  readonly retained: () => number | null
  readonly waiting: Waiting
  /** Logged commits that were not reported yet. */
  readonly commits: WaitingCommits
}

export interface FollowingSettings {
  readonly publication: string
  /** Bytes of the log that a slot may retain. */
  readonly maxRetained: number
  readonly ask: AskRows
  /** SQL that names the server like states do. */
  readonly server: string
  /** True if responses are read from the table, so that its rows matter. */
  readonly isRead: (table: string) => boolean
  /** Called for each commit added to `commits`. Null if only validity is checked. */
  readonly onCommit: (() => void) | null
}

export interface StartedFollowing {
  readonly slot: string
  /** Rejects if the feed is impossible. */
  readonly begun: Promise<FollowedLog>
  /** Resolves at the end with the error, or with null after `close`. */
  readonly over: Promise<unknown>
  readonly close: () => Promise<void>
}

const isOfOneServer = ({ run, database }: StreamStart, covered: CoveredTables): boolean =>
  covered.server.startsWith(`${run} `) && covered.database === database

/** A server process that still makes its slot waits for open transactions, and does not notice a closed connection. */
const endSlot = (slot: string): string =>
  `select pg_terminate_backend(active_pid) from pg_replication_slots where slot_name = '${slot}'`

const retainedBy = (slot: string): string =>
  `select pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn) from pg_replication_slots where slot_name = '${slot}'`

async function coverageOf({
  ask,
  publication,
  server,
}: FollowingSettings): Promise<Pick<FollowedLog, 'covered' | 'readCovered'>> {
  const read = (): Promise<CoveredTables> => readCoveredTables(ask, publication, server)
  let covered = await read()
  let readAt = performance.now()
  return {
    covered: () => covered,
    readCovered: () => {
      const now = performance.now()
      if (now - readAt < betweenReadings) return
      readAt = now
      read().then(
        (latest) => {
          covered = latest
        },
        () => undefined,
      )
    },
  }
}

/** More than a watcher leaves waiting. */
const mostCommits = 100_000

function noteCommits(
  commits: WaitingCommits,
  { isRead, onCommit }: Pick<FollowingSettings, 'isRead' | 'onCommit'>,
): (commit: LoggedCommit) => void {
  return (commit) => {
    if (onCommit === null) return
    const { tables, isPlain } = commit
    if (isPlain && tables !== null && ![...tables.keys()].some(isRead)) return
    commits.push(commit)
    onCommit()
  }
}

export function startFollowing(client: ReplicationClient, settings: FollowingSettings): StartedFollowing {
  const { ask, publication, maxRetained } = settings
  const waiting = makeWaiting()
  const commits = makeWaitingCommits()
  let taking: TakingChanges | undefined
  let isOver = false
  let messageAt = performance.now()
  let retained: number | null = null
  let resolveOver: (error: unknown) => void
  const over = new Promise<unknown>((resolve) => {
    resolveOver = resolve
  })

  const onMessage = (message: LogMessage): void => {
    messageAt = performance.now()
    taking?.take(message)
    if (message.kind === 'commit' || message.kind === 'place') waiting.look()
    // After this long without requests, a restart is cheaper.
    if (taking?.isFull() === true || commits.size() > mostCommits) stream.close(null)
  }
  const onEnd = (error: unknown): void => {
    isOver = true
    clearInterval(timer)
    waiting.look()
    resolveOver(error)
  }
  const stream = makeReplicationStream(client, { onMessage, onEnd })

  const close = async (error: unknown): Promise<void> => {
    const isMaking = taking === undefined
    stream.close(error)
    if (isMaking) await ask(endSlot(stream.slot)).catch(() => undefined)
  }
  const look = async (): Promise<void> => {
    if (taking !== undefined && performance.now() - messageAt > longestSilence)
      stream.close(new Error('the server sent no message for too long'))
    const [[bytes = 0] = []] = await ask(retainedBy(stream.slot))
    retained = Number(bytes)
    if (retained > maxRetained) await close(new Error('the slot retains too much WAL'))
  }
  const timer = setInterval(() => void look().catch(() => undefined), betweenLooks).unref()

  const begin = async (): Promise<FollowedLog> => {
    const { book, start } = await stream.open(publication, (start) => {
      const book = makeChangeBook(start.snapshot)
      const onCommit = noteCommits(commits, settings)
      taking = takeChanges(book, { ...settings, ...start, onCommit, isWatched: settings.onCommit !== null })
      return { book, start }
    })
    const coverage = await coverageOf(settings)
    if (!isOfOneServer(start, coverage.covered())) throw new Error('the feed connects to another server')
    const reached = (): LogPlace => taking?.reached() ?? 0n
    return { ...coverage, book, waiting, commits, reached, isOver: () => isOver, retained: () => retained }
  }
  const begun = begin()
  begun.catch((error: unknown) => {
    stream.close(error)
  })
  return { slot: stream.slot, begun, over, close: () => close(null) }
}
