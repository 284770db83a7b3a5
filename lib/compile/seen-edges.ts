import type { HeldKey } from '../query'

/** An entry at an end of a page. Its keys are undefined where the database could not take one of them again. */
export interface EdgeEntry {
  readonly id: number
  readonly keys: readonly HeldKey[] | undefined
  /** Where it stands on the page. */
  readonly place: number
}

/** Whether the list goes on behind the page, in the direction that was asked, and on its other side. */
export interface SeenEdges {
  readonly isMore: boolean
  readonly areOthers: boolean
  readonly first: EdgeEntry | null
  readonly last: EdgeEntry | null
}

export const nothingSeen: SeenEdges = { isMore: false, areOthers: false, first: null, last: null }
