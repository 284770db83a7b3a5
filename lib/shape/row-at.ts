import type { Row } from '../compile'
import type { LevelRows } from '../load'

/** A row that is still to be shown. */
export function rowAt({ rows }: LevelRows, at: number): Row {
  const row = rows[at]
  if (row === null || row === undefined) throw new Error('a row that was let go of is written once more')
  return row
}
