import type { CompiledLevel, Row } from '../compile'
import { LimitError } from '../errors'

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

/** The rows of one level, each once, and for every branch and row what it leads to. */
export interface LevelRows {
  readonly of: CompiledLevel
  /** Null where the shape room has written a row that it will not write again: what was read need not outlive that. */
  readonly rows: (Row | null)[]
  /** How many entries of this answer lead to each row; none to those of the page itself. */
  readonly ways: number[]
  /** By branch, then by row; null where the row does not show what it leads to. */
  readonly children: readonly (readonly (readonly Child[] | null)[])[]
  /** By branch, then by row: of how many the children are a page. Null for branches that are not counted. */
  readonly totals: readonly (readonly number[] | null)[]
  /**
   * What the shape room has written of each row that several lead to, by the form it was written in: it is written once. Kept here so that it goes with the answer; maps beside it cost a third of Node's time in garbage collection.
   */
  readonly written: { readonly v5: string[]; readonly v4: string[] }
  /** Rows that stand in several levels, and what the shape room has written of them besides what they lead to. */
  readonly heads: Heads | null
}

export interface Head {
  v5?: string
  v4?: string
}

export type Heads = Map<Row, Head>

export type Child = PlacedRow | Stub

/** A row of another level, by its place there. */
export interface PlacedRow {
  readonly in: LevelRows
  readonly at: number
}

/** An element of a zone that was not asked for: it shows that it is there. */
export interface Stub {
  readonly in: null
  readonly at: number
  readonly type: string
}
