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

/** Reported transactions that no state has confirmed yet, as without requests. */
const mostUnchecked = 100_000

/** Tables that changed, of all that the database has or had. */
const mostTables = 10_000

/** How many columns a table has; undefined where that is not known. */
type ColumnsOf = (table: string) => number | undefined

/** Which transaction changed which tables, as far as the log has reported. */
export interface ChangeBook {
  /** Null: it may have changed any table. */
  readonly committed: (transaction: number, tables: ReadonlyMap<string, ChangedInTable> | null) => void
  /** Whether each transaction that is seen there is known, or was before the book began. */
  readonly knows: (snapshot: Snapshot) => boolean
  /** Takes visible transactions that were not reported for changes to all tables. */
  readonly accountFor: (snapshot: Snapshot) => void
  /** Whether what rests on it is the same in both, which have to be known. */
  readonly isSame: (before: Snapshot, now: Snapshot, basis: Basis, columnsOf: ColumnsOf) => boolean
  /** True if the log named the tables of everything that was committed between both. */
  readonly areAllNamed: (before: Snapshot, now: Snapshot) => boolean
  /** The last snapshot of which each transaction is known. */
  readonly last: () => Snapshot
  /** So much that it is to begin anew. */
  readonly isFull: () => boolean
}

/** `start`: a snapshot that was taken once the log reported everything committed after it. */
export function makeChangeBook(start: Snapshot): ChangeBook {
  const tables = new Map<string, TableChanges>()
  const anything = makeChangeLog()
  const reported = new Set<number>()
  let last = start

  const knows: ChangeBook['knows'] = (snapshot) =>
    seenSince(last, snapshot)?.every((transaction) => reported.has(transaction)) === true

  const areSeenBy =
    (before: Snapshot, now: Snapshot) =>
    (log: ChangeLog): boolean =>
      log.isSeenBy(before) && log.isSeenBy(now)

  const areAllNamed: ChangeBook['areAllNamed'] = (before, now) =>
    // The log did not report what was committed before the book began.
    [before, now].every((snapshot) => seesAllOf(snapshot, start) && knows(snapshot)) &&
    areSeenBy(before, now)(anything)

  return {
    committed: (short, changed) => {
      const transaction = wholeNumber(short, last.next)
      reported.add(transaction)
      if (changed === null) anything.add(transaction)
      else for (const [table, what] of changed) once(tables, table, makeTableChanges).add(transaction, what)
    },
    knows,
    accountFor: (snapshot) => {
      if (!seesAllOf(snapshot, last)) return
      const seen = seenSince(last, snapshot)
      if (seen === null) {
        anything.addAllBefore(snapshot.next)
        reported.clear()
      }
      for (const transaction of seen ?? []) if (!reported.delete(transaction)) anything.add(transaction)
      last = snapshot
    },
    areAllNamed,
    isSame: (before, now, basis, columnsOf) => {
      if (!areAllNamed(before, now)) return false
      const areSeen = areSeenBy(before, now)
      for (const table of basis.tables)
        if (tables.get(table)?.areHarmless({ basis, table, columns: columnsOf(table) }, areSeen) === false)
          return false
      return true
    },
    last: () => last,
    isFull: () => reported.size > mostUnchecked || tables.size > mostTables,
  }
}
