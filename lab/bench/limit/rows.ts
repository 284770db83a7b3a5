// Rows to texts, and what stands behind the entries of a page.
import type { Row } from './database'

export type Answer = () => Promise<string>

/** In place of the bytes, JavaScript compares: the database's own order of texts is not that of ours. */
export const key = (value: unknown): number => Number(value)

export function ending(count: unknown, page = 1, pageSize = 25): string {
  const sum = Number(count)
  return `],"meta":{"pagination":{"page":${String(page)},"pageSize":${String(pageSize)},"pageCount":${String(Math.ceil(sum / pageSize))},"total":${String(sum)}}}}`
}

/** Texts of the rows by the id in their first column, one after the other. */
export function texts(rows: readonly Row[], write: (row: Row) => string): Map<number, string> {
  const found = new Map<number, string>()
  for (const row of rows) {
    const parent = key(row[0])
    const before = found.get(parent)
    found.set(parent, before === undefined ? `{${write(row)}}` : `${before},{${write(row)}}`)
  }
  return found
}

export function remembering(write: (row: Row) => string, at: number): (row: Row) => string {
  const known = new Map<unknown, string>()
  return (row) => {
    let written = known.get(row[at])
    if (written === undefined) {
      written = write(row)
      known.set(row[at], written)
    }
    return written
  }
}

export const idsOf = (rows: readonly Row[], at = 0): number[] => rows.map((row) => key(row[at]))
