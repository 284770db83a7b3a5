import type { BasisRows } from '../feed'
import type { LevelRows } from './level-rows'

/** More are not looked for one by one each time that somebody asks. */
const mostIds = 1000

function* levelsBelow(rows: LevelRows): Generator<LevelRows> {
  for (const lists of rows.children) {
    const below = new Set(lists.flatMap((list) => list?.map((child) => child.in) ?? []))
    for (const child of below) if (child !== null) yield child
  }
}

/** The ids of all rows that an answer shows, by table; null where they are too many. */
export function idsRead(root: LevelRows): BasisRows['ids'] | null {
  const ids = new Map<string, number[]>()
  const seen = new Set([root])
  let count = 0
  for (const level of seen) {
    count += level.rows.length
    if (count > mostIds) return null
    const { table } = level.of.level.model
    ids.set(table, [...(ids.get(table) ?? []), ...level.rows.map((row) => Number(row?.[0]))])
    for (const below of levelsBelow(level)) seen.add(below)
  }
  return ids
}
