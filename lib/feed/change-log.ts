import { isSeen, type Snapshot } from './snapshot'

/** So many transactions are remembered one by one; of those before them the highest number. */
const most = 64

/** Which transactions changed one table. */
export interface ChangeLog {
  readonly add: (transaction: number) => void
  /** All before it may have, too. */
  readonly addAllBefore: (transaction: number) => void
  /** Whether a snapshot sees all of these changes, so that none is still to come to what was read in it. */
  readonly isSeenBy: (snapshot: Snapshot) => boolean
}

export function makeChangeLog(): ChangeLog {
  const last: number[] = []
  let highest = -1
  let forgotten = -1
  return {
    add: (transaction) => {
      highest = Math.max(highest, transaction)
      last.push(transaction)
      if (last.length > most) forgotten = Math.max(forgotten, last.shift() ?? -1)
    },
    addAllBefore: (transaction) => {
      forgotten = Math.max(forgotten, transaction - 1)
      highest = Math.max(highest, forgotten)
    },
    isSeenBy: (snapshot) => {
      if (highest < snapshot.lowest) return true
      return forgotten < snapshot.lowest && last.every((transaction) => isSeen(snapshot, transaction))
    },
  }
}
