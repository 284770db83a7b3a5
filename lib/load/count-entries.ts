import { LimitError } from '../errors'
import type { Child, LevelRows } from './level-rows'

/** Refuses an answer that would show more entries than it may. */
export function checkEntries(shown: number, most: number): void {
  if (shown <= most) return
  const limit = String(most)
  throw new LimitError('maxEntries', ['populate'], `The answer would show more than ${limit} entries`)
}

/** Hears how many rows have been read that will be shown, and ends the reading once there are too many. */
export type CountRows = (rows: number) => void

/** Each is shown at least once: an answer that could not be sent is not read to its end. */
export function rowCounter(most: number): CountRows {
  let all = 0
  return (rows) => {
    all += rows
    checkEntries(all, most)
  }
}

/** How many entries an answer shows, and how many each entry with all below it. */
export interface EntryCounts {
  readonly total: number
  readonly at: (rows: LevelRows, at: number) => number
}

/**
 * Rows are loaded once however many lead to them, so lists of lists can show many times more than was read; this counts
 * them without writing any.
 */
export function countEntries(rows: LevelRows): EntryCounts {
  const known = new Map<LevelRows, number[]>()

  const below = (child: Child): number => (child.in === null ? 1 : countAt(child.in, child.at))

  const countAt = (level: LevelRows, at: number): number => {
    if (level.children.length === 0) return 1
    const counts = known.get(level) ?? []
    known.set(level, counts)
    const seen = counts[at]
    if (seen !== undefined) return seen
    let count = 1
    level.children.forEach((rows, index) => {
      // One number is shown of those.
      if (level.of.branches[index]?.branch.answer === 'count') return
      for (const child of rows[at] ?? []) count += below(child)
    })
    counts[at] = count
    return count
  }

  let total = 0
  for (let at = 0; at < rows.rows.length; at += 1) total += countAt(rows, at)
  return { total, at: countAt }
}
