import { type ChangeLog, makeChangeLog } from './change-log'
import { seenSince, seesAllOf, type Snapshot, wholeNumber } from './snapshot'

/** Transactions that were told of and not asked about yet: nobody asks the database for its state. */
const mostUnasked = 100_000

/** Tables that changed, of all that the database has or had. */
const mostTables = 10_000

/** Which transaction changed which tables, as far as the database has told. */
export interface ChangeBook {
  /** Null: it may have changed any table. */
  readonly committed: (transaction: number, tables: ReadonlySet<string> | null) => void
  /** Whether each transaction that is seen there is known, or was before the book began. */
  readonly knows: (snapshot: Snapshot) => boolean
  /** Takes what is seen there and was not told of for a change to all tables. */
  readonly accountFor: (snapshot: Snapshot) => void
  /** Whether what is read from these tables is the same in both, which have to be known. */
  readonly isSame: (before: Snapshot, now: Snapshot, tables: Iterable<string>) => boolean
  /** The last snapshot of which each transaction is known. */
  readonly last: () => Snapshot
  /** So much that it is to begin anew. */
  readonly isFull: () => boolean
}

/** `start`: a snapshot that was taken once the feed told of all that was committed from then on. */
export function makeChangeBook(start: Snapshot): ChangeBook {
  const tables = new Map<string, ChangeLog>()
  const anything = makeChangeLog()
  const told = new Set<number>()
  let last = start

  const note = (transaction: number, table: string): void => {
    const known = tables.get(table)
    const log = known ?? makeChangeLog()
    if (known === undefined) tables.set(table, log)
    log.add(transaction)
  }

  const knows: ChangeBook['knows'] = (snapshot) =>
    seenSince(last, snapshot)?.every((transaction) => told.has(transaction)) === true

  return {
    committed: (short, changed) => {
      const transaction = wholeNumber(short, last.next)
      told.add(transaction)
      if (changed === null) anything.add(transaction)
      else for (const table of changed) note(transaction, table)
    },
    knows,
    accountFor: (snapshot) => {
      if (!seesAllOf(snapshot, last)) return
      const seen = seenSince(last, snapshot)
      if (seen === null) {
        anything.addAllBefore(snapshot.next)
        told.clear()
      }
      for (const transaction of seen ?? []) if (!told.delete(transaction)) anything.add(transaction)
      last = snapshot
    },
    isSame: (before, now, names) => {
      const areSeen = (log: ChangeLog | undefined): boolean =>
        log === undefined || (log.isSeenBy(before) && log.isSeenBy(now))
      // What was committed before the book began, nobody has told.
      if (![before, now].every((snapshot) => seesAllOf(snapshot, start) && knows(snapshot))) return false
      if (!areSeen(anything)) return false
      for (const name of names) if (!areSeen(tables.get(name))) return false
      return true
    },
    last: () => last,
    isFull: () => told.size > mostUnasked || tables.size > mostTables,
  }
}
