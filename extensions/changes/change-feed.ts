import type { Fault } from '../../lib/errors'
import type { Basis, Follower } from '../../lib/freshness'
import { makeMemory, once } from '../../lib/memory'
import { checkFeed } from './check-feed'
import { type LogPlace, endOfLog } from './decode'
import type { FollowedLog } from './followed-log'
import { type KeepFollowingSettings, type ReconnectingFeed, keepFollowing } from './keep-following'
import { type Snapshot, readSnapshot } from './snapshot'
import { type OnChanged, watchChanges } from './watch-changes'

/** Milliseconds that a request waits for the log to report the latest commits. */
const patience = 50

/** Bytes of cached states, whose lists of running transactions may be long. */
const maxBytes = 1024 * 1024

export interface ChangeFeed extends Follower {
  /** Missing requirements; logs the tables that the feed leaves out. */
  readonly check: () => Promise<readonly Fault[]>
  readonly close: () => Promise<void>
}

export interface ChangeFeedSettings extends Omit<KeepFollowingSettings, 'onCommit'> {
  readonly onChanged: OnChanged | null
  /** True if the feed connects as a role of its own. */
  readonly isOtherRole: boolean
}

interface ServerSnapshot {
  readonly snapshot: Snapshot
  readonly server: string
}

/** A state is the snapshot and, after a space, the server. */
function readState(state: string): ServerSnapshot | 'none' {
  const end = state.indexOf(' ')
  const snapshot = readSnapshot(state.slice(0, end))
  return snapshot === null ? 'none' : { snapshot, server: state.slice(end + 1) }
}

function stateReader(): (state: string) => ServerSnapshot | null {
  const known = makeMemory<ServerSnapshot | 'none'>({ maxBytes, bytesOf: () => 500 })
  return (state) => {
    const read = once(known, state, () => readState(state))
    return read === 'none' ? null : read
  }
}

/** A state of the followed server, with the log up to it. */
interface FollowedState extends FollowedLog {
  readonly snapshot: Snapshot
  readonly isOfServer: boolean
}

type ReadFollowed = (state: string) => FollowedState | null

function followedReader({ now }: ReconnectingFeed): ReadFollowed {
  const read = stateReader()
  return (state) => {
    const following = now()
    const parsed = read(state)
    if (following === null || parsed === null) return null
    const { snapshot, server } = parsed
    return { ...following, snapshot, isOfServer: server === following.covered().server }
  }
}

function learning(read: ReadFollowed): Follower['learnState'] {
  /** A log position that did not come in time. Until it comes, no other request waits. */
  let awaited: LogPlace | null = null
  return async (state, end) => {
    const place = end === null ? null : BigInt(end)
    const followed = read(state)
    if (followed === null) return
    const { book, reached, isOver, waiting, covered, readCovered, snapshot } = followed
    if (!followed.isOfServer) {
      readCovered()
      return
    }
    const isReported = (): boolean => book.knows(snapshot) || (place !== null && reached() >= place)
    const isHopeless = awaited !== null && reached() < awaited
    if (!isHopeless) await waiting.until(() => isOver() || isReported(), patience)
    if (isReported()) book.accountFor(snapshot)
    awaited = isReported() ? null : (place ?? awaited)
    const { snapshot: then } = covered()
    if (then === null || !book.areAllNamed(then, book.last())) readCovered()
  }
}

export function makeChangeFeed(settings: ChangeFeedSettings): ChangeFeed {
  const { onChanged } = settings
  const onCommit = onChanged === null ? null : (): void => watched?.onCommit()
  const kept = keepFollowing({ ...settings, onCommit })
  const read = followedReader(kept)
  const learnState = learning(read)
  const watched =
    onChanged === null ? null : watchChanges({ ...settings, now: kept.now, learnState, onChanged })

  /** True if nothing of the basis changed, and the log would have reported a change. */
  const isSameIn = (before: FollowedState, now: Snapshot, basis: Basis): boolean => {
    const { book, covered, snapshot } = before
    const { snapshot: then, isCovered, columnsOf } = covered()
    if (then === null || !book.areAllNamed(then, now)) return false
    // Unquoted names, which Knex can be configured to write, are not found in statements.
    const isKnown = basis.tables.size > 0
    return isKnown && [...basis.tables].every(isCovered) && book.isSame(snapshot, now, basis, columnsOf)
  }
  const isStillValid: Follower['isStillValid'] = (before, now, basis) => {
    const one = read(before)
    if (one?.isOfServer !== true) return false
    if (now === null) return isSameIn(one, one.book.last(), basis)
    const other = read(now)
    return other?.isOfServer === true && isSameIn(one, other.snapshot, basis)
  }

  return {
    beside: endOfLog,
    learnState,
    isStillValid,
    isFollowing: () => kept.now() !== null,
    retainedWal: () => kept.now()?.retained() ?? null,
    check: async () => {
      const faults = await checkFeed({ ...settings, slot: await kept.slot() })
      // Ready for the first requests.
      if (faults.length === 0) kept.now()
      return faults
    },
    close: async () => {
      watched?.close()
      await kept.close()
    },
  }
}
