import type { Fault } from '../errors'
import { makeMemory, once } from '../memory'
import { type Basis, isKnown } from './basis'
import { readCoveredTables } from './covered-tables'
import type { LogPlace } from './decode'
import { missingForFeed, warningsOf } from './missing-for-feed'
import type { FollowedLog } from './followed-log'
import { keepFollowing, type KeepFollowingSettings, type KeptFollowing } from './keep-following'
import { refusedTables } from './refused-tables'
import { readSnapshot, type Snapshot } from './snapshot'
import { watchChanges } from './watch-changes'
import type { OnChanged } from './watched-log'

/** Milliseconds that a request waits for what is committed to be told. */
const patience = 50

/** Of states that were read lately: lists of transactions that are under way may be long. */
const maxBytes = 1024 * 1024

/** What changed between two states of the database. */
export interface ChangeFeed {
  /** To be told each state that the database tells, and where its log ended; waits a moment until what led there is known. */
  readonly account: (state: string, place: LogPlace | null) => Promise<void>
  /** Whether nothing that it rests on is another in the two states. `false` where that is not known. */
  readonly isSame: (before: string, now: string, basis: Basis) => boolean
  /** Whether nothing of it has changed since, as far as is known by now. */
  readonly isUnchanged: (before: string, basis: Basis) => boolean
  /** As `isSame`; what is not known yet is waited for. */
  readonly isSameSoon: (before: string, now: string, basis: Basis) => Promise<boolean>
  readonly isFollowing: () => boolean
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

function accounting(read: ReadFollowed): ChangeFeed['account'] {
  /** What was waited for in vain. Until it has come, nobody else waits. */
  let awaited: LogPlace | null = null
  return async (state, place) => {
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
    awaited = isTold() ? null : place
    const { snapshot: then } = covered()
    if (then === null || !book.isNothingUntold(then, book.last())) readCovered()
  }
}

async function checkFeed(
  settings: ChangeFeedSettings,
  { slot, now }: KeptFollowing,
): Promise<readonly Fault[]> {
  const { ask, publication, server, isOtherRole, isRead, logger } = settings
  const faults = await missingForFeed(ask, { publication, isOtherRole, slot: await slot() })
  if (faults.length > 0) return faults
  // So that the first requests find it begun.
  now()
  const covered = await readCoveredTables(ask, publication, server)
  const refused = await refusedTables(ask, publication)
  for (const [facts, message] of warningsOf(covered, refused, isRead)) logger.warn(facts, message)
  return []
}

export function makeChangeFeed(settings: ChangeFeedSettings): ChangeFeed {
  const { onChanged } = settings
  const onCommit = onChanged === null ? null : (): void => watched?.onCommit()
  const kept = keepFollowing({ ...settings, onCommit })
  const read = followedReader(kept)
  const account = accounting(read)
  const watched = onChanged === null ? null : watchChanges({ ...settings, now: kept.now, account, onChanged })

  /** What it rests on is the same in both, and the feed would have told if it were not. */
  const isSameIn = (before: FollowedState, now: Snapshot, basis: Basis): boolean => {
    const { book, covered, snapshot } = before
    const { snapshot: then, isCovered, columnsOf } = covered()
    if (then === null || !book.isNothingUntold(then, now)) return false
    return (
      isKnown(basis) && [...basis.tables].every(isCovered) && book.isSame(snapshot, now, basis, columnsOf)
    )
  }
  const isSame: ChangeFeed['isSame'] = (before, now, basis) => {
    const [one, other] = [read(before), read(now)]
    if (one?.isOfServer !== true || other?.isOfServer !== true) return false
    return isSameIn(one, other.snapshot, basis)
  }
  const isUnchanged: ChangeFeed['isUnchanged'] = (before, basis) => {
    const one = read(before)
    return one?.isOfServer === true && isSameIn(one, one.book.last(), basis)
  }

  return {
    account,
    isSame,
    isUnchanged,
    isSameSoon: async (before, now, basis) => {
      const other = read(now)
      if (other === null || !isUnchanged(before, basis)) return false
      const { waiting, isOver, book, snapshot } = other
      await waiting.until(() => isOver() || book.knows(snapshot), patience)
      return isSame(before, now, basis)
    },
    isFollowing: () => kept.now() !== null,
    check: () => checkFeed(settings, kept),
    close: async () => {
      watched?.close()
      await kept.close()
    },
  }
}
