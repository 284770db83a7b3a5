/** A column that must hold a fixed value for a row of the table to count: `field = 'seo'`. */
export interface Fixed {
  readonly column: string
  readonly value: string
}

/**
 * How a row reaches others. Relations, media, components, zones and localizations are all one of these four,
 * so one loader follows them all.
 *
 * - `here`: our row holds the key and, as it may lead to any type, the type's uid.
 * - `there`: their row holds our key.
 * - `between`: a join table holds both keys.
 * - `mixed`: a join table holds both keys and the uid of the type it leads to.
 */
export type Link = Here | There | Between | Mixed

export interface Here {
  readonly via: 'here'
  readonly key: string
  readonly type: string
  /** Where the key names a draft, it leads to the published version. */
  readonly toPublished?: true
}

export interface There {
  readonly via: 'there'
  /** The column of theirs that holds our key, and the column of ours that it holds. */
  readonly theirs: string
  readonly ours: 'id' | 'document_id'
  readonly fixed: readonly Fixed[]
}

export interface Between {
  readonly via: 'between'
  readonly table: string
  readonly ours: string
  readonly theirs: string
  /** The column that keeps the editor's order, where the table has one. */
  readonly order: string | null
  readonly fixed: readonly Fixed[]
}

export interface Mixed {
  readonly via: 'mixed'
  readonly table: string
  readonly ours: string
  readonly theirs: string
  readonly type: string
  readonly order: string
  readonly fixed: readonly Fixed[]
  /**
   * Whose rows of the table are told of, where attributes of the other side write them: what is private there, or names no
   * attribute, is not told of from this side either.
   */
  readonly told?: readonly ToldFields[]
}

/** Rows of a join table that belong to some attributes of one type. */
export interface ToldFields {
  readonly type: string
  readonly fields: readonly string[]
}
