import type { Row } from '../compile'
import type { Page } from '../plan'
import { eachOnce, type FollowedRows } from './followed-rows'

export interface CutRows {
  readonly read: FollowedRows
  /** Whether there was one row more than the page has. */
  readonly isMore: boolean
}

/** Without the row that only tells that there are more. */
export function cutToPage(page: Page | null, found: readonly Row[]): CutRows {
  const read = eachOnce(found)
  if (page?.by !== 'cursor' || read.rows.length <= page.limit) return { read, isMore: false }
  const beyond = page.side === 'after' ? read.rows.at(-1) : read.rows[0]
  return { read: eachOnce(found.filter((row) => row[0] !== beyond?.[0])), isMore: true }
}
