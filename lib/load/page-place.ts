import { malformed } from '../errors'
import type { KeysetPage } from '../plan'
import { type HeldKey, writeCursor } from '../query'

/** An entry at an end of a page. Its keys are undefined where the database could not take one of them again. */
export interface EdgeEntry {
  readonly id: number
  readonly keys: readonly HeldKey[] | undefined
}

/** Whether the list goes on behind the page, in the direction that was asked, and on its other side. */
interface SeenEdges {
  readonly isMore: boolean
  readonly areOthers: boolean
  readonly first: EdgeEntry | null
  readonly last: EdgeEntry | null
}

/** What a page with cursors tells of the list around it. */
export interface PageEdges {
  readonly hasNextPage: boolean
  readonly hasPreviousPage: boolean
  readonly startCursor: string | null
  readonly endCursor: string | null
}

/** What there is to tell of the place of a page in its list. */
export interface PagePlace {
  /** Null where it was not asked for. */
  readonly total: number | null
  /** Null for pages with numbers. */
  readonly edges: PageEdges | null
}

const noCursor = ({ path }: KeysetPage): Error =>
  malformed(
    path,
    'Invalid cursor: an entry of this page is sorted by a value that no cursor can hold; sort by something shorter, or page by numbers',
  )

function cursorOf(page: KeysetPage, entry: EdgeEntry | null): string | null {
  if (entry === null) return null
  const { list } = page
  const { id, keys } = entry
  const cursor = keys === undefined ? null : writeCursor({ list, id, keys })
  if (cursor === null) throw noCursor(page)
  return cursor
}

export function edgesOf(page: KeysetPage, { isMore, areOthers, first, last }: SeenEdges): PageEdges {
  const isForward = page.side === 'after'
  return {
    hasNextPage: isForward ? isMore : areOthers,
    hasPreviousPage: isForward ? areOthers : isMore,
    startCursor: cursorOf(page, first),
    endCursor: cursorOf(page, last),
  }
}
