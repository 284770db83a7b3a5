import type { Row } from '../compile'
import type { LoadedTarget } from './children-by-row'
import type { LevelRows } from './level-rows'

/** The rows of a level, each once, and as they were read: once for every row that leads there or that comes along. */
export interface FollowedRows {
  readonly rows: readonly Row[]
  readonly places: LoadedTarget['places']
  readonly found: readonly Row[]
  readonly heads: LevelRows['heads']
}

export function eachOnce(found: readonly Row[], heads: LevelRows['heads'] = null): FollowedRows {
  const places = new Map<number, number>()
  const rows: Row[] = []
  for (const row of found) {
    const id = Number(row[0])
    if (places.has(id)) continue
    places.set(id, rows.length)
    rows.push(row)
  }
  return { rows, places, found, heads }
}
