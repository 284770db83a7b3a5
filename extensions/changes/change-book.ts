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

/** Reported transactions that no state has confirmed yet, for example without requests. */
const mostUnchecked = 100_000

/** Changed tables, dropped ones included. */
const mostTables = 10_000

/** Number of columns of a table; undefined if unknown. */
type ColumnsOf = (table: string) => number | undefined

/** The tables that each transaction changed, according to the log. */
export interface ChangeBook {
  readonly committed: (transaction: number, tables: ReadonlyMap<string, ChangedInTable> | null) => void
  /** True if every transaction visible in the snapshot is known, or is older than the book. */
  readonly knows: (snapshot: Snapshot) => boolean
  /** Treats visible transactions that were not reported as changes to all tables. */
  readonly accountFor: (snapshot: Snapshot) => void
  /** True if data with this basis is equal in both snapshots, which must be known. */
  readonly isSame: (before: Snapshot, now: Snapshot, basis: Basis, columnsOf: ColumnsOf) => boolean
  /** True if the log named the tables of all commits between both. */
  readonly areAllNamed: (before: Snapshot, now: Snapshot) => boolean
  /** The last snapshot with only known transactions. */
  readonly last: () => Snapshot
  /** True if it is time to start a new book. */
  readonly isFull: () => boolean
}

/** `start`: a snapshot taken once the log reported everything committed after it. */
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
    // The log did not report commits from before the book began.
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
