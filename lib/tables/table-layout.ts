import type { ForeignKey, Index, PhysicalColumn } from '../schema'

/** One table as it is meant to be. */
export interface TableLayout {
  readonly table: string
  readonly columns: readonly PhysicalColumn[]
  readonly indexes: readonly Index[]
  readonly foreignKeys: readonly ForeignKey[]
  /** The table has more columns than these, which are of no concern here. */
  readonly isPart?: true
}
