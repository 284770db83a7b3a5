import type { CompiledLevel, Row } from '../compile'

/** Hears how many rows have been read that will be shown, and ends the reading once there are too many. */
export type CountRows = (rows: number) => void

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
