import type { Basis } from '../../lib/freshness'
import { once } from '../../lib/memory'
import type { ChangedRow } from './decode'
import { type Snapshot, isSeen } from './snapshot'

/** Transactions remembered one by one; older ones are reduced to their highest number. */
const most = 64

export interface ChangeLog {
  readonly add: (transaction: number) => void
  /** Counts all transactions before it as well. */
  readonly addAllBefore: (transaction: number) => void
  /** True if a snapshot sees all of these changes, so that data read in it is current. */
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

/** Rows of one table whose changes are remembered separately. */
const mostRows = 300

export interface ChangedInTable {
  readonly all: readonly ChangedRow[] | null
  readonly columns: number
}

/** Changes of a table by row and column. */
export interface TableChanges {
  readonly add: (transaction: number, changed: ChangedInTable) => void
  /** True if unseen changes do not affect data with this basis. */
  readonly areHarmless: (resting: RestingOnTable, areSeen: (log: ChangeLog) => boolean) => boolean
}

interface RestingOnTable {
  readonly basis: Basis
  readonly table: string
  readonly columns: number | undefined
}

interface WrittenRow {
  readonly id: number
  readonly columns: ReadonlySet<string>
}

/** Changes in rows that existed before and still do. Null for anything else. */
function writtenRows(all: ChangedInTable['all']): readonly WrittenRow[] | null {
  const written: WrittenRow[] = []
  for (const { ids, columns } of all ?? []) {
    const [id] = ids
    if (columns === null || ids.length !== 1 || columns.has('id')) return null
    written.push({ id: Number(id), columns })
  }
  return all === null ? null : written
}

export function makeTableChanges(): TableChanges {
  const whole = makeChangeLog()
  const anything = makeChangeLog()
  const byColumn = new Map<string, ChangeLog>()
  const byRow = new Map<number, ChangeLog>()
  const rowsBefore = makeChangeLog()
  let highest = -1
  let logged: number | null = null

  const note = (transaction: number, written: readonly WrittenRow[]): void => {
    for (const column of new Set(written.flatMap(({ columns }) => [...columns])))
      once(byColumn, column, makeChangeLog).add(transaction)
    for (const id of new Set(written.map(({ id }) => id))) {
      if (byRow.size >= mostRows && !byRow.has(id)) {
        byRow.clear()
        rowsBefore.addAllBefore(highest + 1)
      }
      once(byRow, id, makeChangeLog).add(transaction)
    }
  }

  return {
    add: (transaction, { all, columns }) => {
      highest = Math.max(highest, transaction)
      whole.add(transaction)
      const written = writtenRows(all)
      if (written === null) anything.add(transaction)
      else {
        if (logged !== null && logged !== columns) anything.addAllBefore(highest + 1)
        logged = columns
        note(transaction, written)
      }
    },
    areHarmless: ({ basis: { rows }, table, columns }, areSeen) => {
      if (areSeen(whole)) return true
      // Columns that are not logged may be computed from logged ones.
      if (rows === null || logged !== columns || ![anything, rowsBefore].every(areSeen)) return false
      for (const [column, log] of byColumn)
        if (!areSeen(log) && rows.decidedBy.some((names) => names.has(column))) return false
      return (rows.ids.get(table) ?? []).every((id) => {
        const log = byRow.get(id)
        return log === undefined || areSeen(log)
      })
    },
  }
}
