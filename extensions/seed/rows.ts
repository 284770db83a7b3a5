import { once } from '../../lib/memory'
import type { StoredValue } from './to-stored'

/** A row that will be written. Its id is known before, so that others can point at it. */
export interface RowToWrite {
  readonly id: number
  readonly columns: Record<string, StoredValue>
  /** It exists, and is updated. */
  readonly isKept?: true
}

export interface RowsToWrite {
  readonly byTable: ReadonlyMap<string, readonly RowToWrite[]>
  add(table: string, columns: Record<string, StoredValue>): RowToWrite
  keep(table: string, id: number): RowToWrite
}

/** Ids go on from the highest that a table holds, in the order in which the content was written. */
export function makeRows(highestIds: ReadonlyMap<string, number>): RowsToWrite {
  const byTable = new Map<string, RowToWrite[]>()
  return {
    byTable,
    add(table, columns) {
      const rows = once(byTable, table, () => [])
      const row = { id: (highestIds.get(table) ?? 0) + rows.length + 1, columns }
      rows.push(row)
      return row
    },
    keep(table, id) {
      const row: RowToWrite = { id, columns: {}, isKept: true }
      once(byTable, table, () => []).push(row)
      return row
    },
  }
}
