import type { Child, Rows } from './rows'

/** How many entries an answer shows, and how many each entry with all below it. */
export interface Entries {
  readonly total: number
  readonly at: (rows: Rows, at: number) => number
}

/**
 * Rows are loaded once however many lead to them, so lists of lists can show many times more than was read; this counts
 * them without writing any.
 */
export function countEntries(rows: Rows): Entries {
  const known = new Map<Rows, number[]>()

  const below = (child: Child): number => (child.in === null ? 1 : countAt(child.in, child.at))

  const countAt = (level: Rows, at: number): number => {
    if (level.children.length === 0) return 1
    const counts = known.get(level) ?? []
    known.set(level, counts)
    const seen = counts[at]
    if (seen !== undefined) return seen
    let count = 1
    for (const branch of level.children) for (const child of branch[at] ?? []) count += below(child)
    counts[at] = count
    return count
  }

  let total = 0
  for (let at = 0; at < rows.rows.length; at += 1) total += countAt(rows, at)
  return { total, at: countAt }
}
