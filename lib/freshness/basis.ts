/** What something that was read rests on. */
export interface Basis {
  readonly tables: ReadonlySet<string>
  /** Null where any change of a table may make it another. */
  readonly rows: BasisRows | null
}

/** Rows that were read whole. Of all others no more matters than what they hold in columns that decide which these are. */
export interface BasisRows {
  /** By their numbers, which mean the same row where they are equal. */
  readonly ids: ReadonlyMap<string, readonly number[]>
  /** Of each statement. */
  readonly decidedBy: readonly ReadonlySet<string>[]
}

/** Rests on all that some tables hold. */
export const onTables = (tables: ReadonlySet<string>): Basis => ({ tables, rows: null })
