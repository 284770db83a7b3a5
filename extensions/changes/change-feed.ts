import type { Fault } from '../../lib/errors'
import type { Basis, Follower } from '../../lib/freshness'
import { makeMemory, once } from '../../lib/memory'
import { checkFeed } from './check-feed'
import { type LogPlace, endOfLog } from './decode'
import type { FollowedLog } from './followed-log'
import { type KeepFollowingSettings, type KeptFollowing, keepFollowing } from './keep-following'
import { type Snapshot, readSnapshot } from './snapshot'
import { type OnChanged, watchChanges } from './watch-changes'

/** Milliseconds that a request waits for what is committed to be told. */
const patience = 50

/** Of states that were read lately: lists of transactions that are under way may be long. */
const maxBytes = 1024 * 1024

/** What changed between two states of the database. */
export interface ChangeFeed extends Follower {
  /** What it lacks; warns of tables of which it does not tell. */
  readonly check: () => Promise<readonly Fault[]>
  readonly close: () => Promise<void>
}

export interface ChangeFeedSettings extends Omit<KeepFollowingSettings, 'onCommit'> {
  /** Null where nobody is to be told. */
  readonly onChanged: OnChanged | null
  /** A role of its own follows. */
  readonly isOtherRole: boolean
}

interface ServerSnapshot {
  readonly snapshot: Snapshot
  readonly server: string
}

/** States are told as the snapshot and, behind it, the server. */
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

/** A state of the server that is followed, and what is known of it. */
interface FollowedState extends FollowedLog {
  readonly snapshot: Snapshot
  readonly isOfServer: boolean
}

type ReadFollowed = (state: string) => FollowedState | null

function followedReader({ now }: KeptFollowing): ReadFollowed {
  const read = stateReader()
  return (state) => {
    const following = now()
    const told = read(state)
    if (following === null || told === null) return null
    const { snapshot, server } = told
    return { ...following, snapshot, isOfServer: server === following.covered().server }
  }
}

function learning(read: ReadFollowed): Follower['learnState'] {
  /** What was waited for in vain. Until it has come, nobody else waits. */
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
    const isTold = (): boolean => book.knows(snapshot) || (place !== null && reached() >= place)
    const isHopeless = awaited !== null && reached() < awaited
    if (!isHopeless) await waiting.until(() => isOver() || isTold(), patience)
    if (isTold()) book.accountFor(snapshot)
    awaited = isTold() ? null : (place ?? awaited)
    const { snapshot: then } = covered()
    if (then === null || !book.isNothingUntold(then, book.last())) readCovered()
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

  /** What it rests on is the same in both, and the feed would have told if it were not. */
  const isSameIn = (before: FollowedState, now: Snapshot, basis: Basis): boolean => {
    const { book, covered, snapshot } = before
    const { snapshot: then, isCovered, columnsOf } = covered()
    if (then === null || !book.isNothingUntold(then, now)) return false
    // Names that are not quoted, as Knex may be told to write them, are not found in statements.
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
    check: async () => {
      const faults = await checkFeed({ ...settings, slot: await kept.slot() })
      // So that the first requests find it begun.
      if (faults.length === 0) kept.now()
      return faults
    },
    close: async () => {
      watched?.close()
      await kept.close()
    },
  }
}
