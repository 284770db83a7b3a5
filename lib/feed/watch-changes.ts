import { setTimeout as pause } from 'node:timers/promises'
import type { FollowedLog } from './followed-log'
import { type WatchedLog, type WatchedLogSettings, watchLog } from './watched-log'

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
