import type { Fault } from '../errors'
import { type Basis, isKnown } from './basis'
import type { ChangeFeed } from './change-feed'
import { type CountedWrites, makeCountedWrites, type CountedWritesSettings } from './counted-writes'
import type { AskRows } from './ask-rows'
import { missingForCounts } from './missing-for-counts'

interface CountedFeedSettings extends CountedWritesSettings {
  /** Runs a statement on any connection of the pool. */
  readonly ask: AskRows
}

/** How a state ends whose writes were counted: their name, and whether some are not finished. Behind it stands the server. */
const ending = / ([0-9a-f]{40})(!?) /

interface CountedState {
  readonly name: string
  readonly isSettled: boolean
  readonly server: string
}

function readCountedState(state: string): CountedState | null {
  const found = ending.exec(state)
  if (found === null) return null
  const [all, name = '', mark] = found
  return { name, isSettled: mark === '', server: state.slice(found.index + all.length) }
}

/** What is to stand at the end of what the counter shows. */
export const countedEnding = (name: string, isSettled: boolean): string => `${name}${isSettled ? '' : '!'}`

/** `isSame` of what was read in a state in which somebody was writing is never known: he may have finished since, uncounted. */
export function makeCountedFeed({ ask, ...settings }: CountedFeedSettings): ChangeFeed {
  const writes: CountedWrites = makeCountedWrites(settings)
  let latest: string | null = null

  const isUnwritten = (before: string, basis: Basis, now?: string): boolean => {
    const book = writes.book()
    const [one, other] = [before, now ?? before].map(readCountedState)
    if (!isKnown(basis) || book === null || one?.isSettled !== true || other?.server !== one.server)
      return false
    return book.knows(other.name) && book.isUnwritten(one.name, basis.tables)
  }
  const isSame: ChangeFeed['isSame'] = (before, now, basis) => isUnwritten(before, basis, now)

  return {
    writes,
    account: (state) => {
      if (readCountedState(state)?.isSettled === true) latest = state
      return Promise.resolve()
    },
    isSame,
    isUnchanged: (before, basis) => isUnwritten(before, basis),
    isSameSoon: (...asked) => Promise.resolve(isSame(...asked)),
    latest: () => latest,
    isFollowing: () => writes.book() !== null,
    tellsRows: false,
    check: (): Promise<readonly Fault[]> => missingForCounts(ask, settings),
    close: () => Promise.resolve(),
  }
}
