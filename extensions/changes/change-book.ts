import type { Basis } from '../../lib/freshness'
import { once } from '../../lib/memory'
import { type Snapshot, seenSince, seesAllOf, wholeNumber } from './snapshot'
import {
  type ChangeLog,
  type ChangedInTable,
  type TableChanges,
  makeChangeLog,
  makeTableChanges,
} from './table-changes'

/** Transactions that were told of and not asked about yet: nobody asks the database for its state. */
const mostUnasked = 100_000

/** Tables that changed, of all that the database has or had. */
const mostTables = 10_000

/** How many columns a table has; undefined where that is not known. */
type ColumnsOf = (table: string) => number | undefined

/** Which transaction changed which tables, as far as the database has told. */
export interface ChangeBook {
  /** Null: it may have changed any table. */
  readonly committed: (transaction: number, tables: ReadonlyMap<string, ChangedInTable> | null) => void
  /** Whether each transaction that is seen there is known, or was before the book began. */
  readonly knows: (snapshot: Snapshot) => boolean
  /** Takes what is seen there and was not told of for a change to all tables. */
  readonly accountFor: (snapshot: Snapshot) => void
  /** Whether what rests on it is the same in both, which have to be known. */
  readonly isSame: (before: Snapshot, now: Snapshot, basis: Basis, columnsOf: ColumnsOf) => boolean
  /** Whether nothing was committed between both that is told under no table's name. */
  readonly isNothingUntold: (before: Snapshot, now: Snapshot) => boolean
  /** The last snapshot of which each transaction is known. */
  readonly last: () => Snapshot
  /** So much that it is to begin anew. */
  readonly isFull: () => boolean
}

/** `start`: a snapshot that was taken once the feed told of all that was committed from then on. */
export function makeChangeBook(start: Snapshot): ChangeBook {
  const tables = new Map<string, TableChanges>()
  const anything = makeChangeLog()
  const told = new Set<number>()
  let last = start

  const knows: ChangeBook['knows'] = (snapshot) =>
    seenSince(last, snapshot)?.every((transaction) => told.has(transaction)) === true

  const areSeenBy =
    (before: Snapshot, now: Snapshot) =>
    (log: ChangeLog): boolean =>
      log.isSeenBy(before) && log.isSeenBy(now)

  const isNothingUntold: ChangeBook['isNothingUntold'] = (before, now) =>
    // What was committed before the book began, nobody has told.
    [before, now].every((snapshot) => seesAllOf(snapshot, start) && knows(snapshot)) &&
    areSeenBy(before, now)(anything)

  return {
    committed: (short, changed) => {
      const transaction = wholeNumber(short, last.next)
      told.add(transaction)
      if (changed === null) anything.add(transaction)
      else for (const [table, what] of changed) once(tables, table, makeTableChanges).add(transaction, what)
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
    isNothingUntold,
    isSame: (before, now, basis, columnsOf) => {
      if (!isNothingUntold(before, now)) return false
      const areSeen = areSeenBy(before, now)
      for (const table of basis.tables)
        if (tables.get(table)?.areHarmless({ basis, table, columns: columnsOf(table) }, areSeen) === false)
          return false
      return true
    },
    last: () => last,
    isFull: () => told.size > mostUnasked || tables.size > mostTables,
  }
}
