import { createHash } from 'node:crypto'
import { once } from '../../lib/memory'
import type { StoredValue } from './to-stored'

const length = 24

/** 24 characters with a letter first, like Strapi's. Equal names yield equal ids, so that tests can rely on them. */
export function documentIdOf(...names: readonly string[]): string {
  const digest = createHash('sha256').update(names.join('\n')).digest('hex')
  const text = BigInt(`0x${digest}`).toString(36).padStart(length, '0')
  const first = 'abcdefghijklmnopqrstuvwxyz'[Number.parseInt(digest.slice(0, 4), 16) % 26] ?? 'a'
  return first + text.slice(-length + 1)
}

/** The id is known before the row is written, so that others can link to it. */
export interface RowToWrite {
  readonly id: number
  readonly columns: Record<string, StoredValue>
  readonly isKept?: true
}

export interface RowsToWrite {
  readonly byTable: ReadonlyMap<string, readonly RowToWrite[]>
  add(table: string, columns: Record<string, StoredValue>): RowToWrite
  keep(table: string, id: number): RowToWrite
}

/** Ids continue after the highest of the table, in the order of the content. */
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
