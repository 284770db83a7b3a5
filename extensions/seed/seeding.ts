import type { DialectName } from '../../lib/database'
import type { Model, Schema, Uid } from '../../lib/schema'
import type { ContentObject, WrittenValues } from './content'
import type { Cleared } from './clear'
import type { Existing } from './existing'
import type { Faults } from './faults'
import type { SeededJoins } from './join'
import type { RowToWrite, RowsToWrite } from './rows'

/** Contains the options of `seed`. */
export interface SeedOptions {
  /**
   * Updates documents that already exist. `seed` finds a document by `documentId` or `$ref`. Attributes without a value
   * in the content stay unchanged.
   * @default false
   */
  readonly upsert?: boolean
  /**
   * Before `seed` writes, deletes all entries of the types in the content, with their locales, relations and
   * components. `reset` does not delete files.
   * @default false
   */
  readonly reset?: boolean
}

export const seedOptions: Readonly<Record<keyof SeedOptions, true>> = { upsert: true, reset: true }

export const isRepeatable = ({ upsert = false, reset = false }: SeedOptions): boolean => upsert || reset

/** State of a row: draft, published, or the single row of a type without drafts. */
export type State = 'draft' | 'published' | 'only'

/** Values that a row inherits from its entry, and a component from its row. */
export interface Context {
  readonly documentId: string
  readonly locale: string | null
  readonly state: State
}

export interface UnfilledRow {
  readonly model: Model
  readonly row: RowToWrite
  readonly context: Context
  readonly values: WrittenValues
  readonly path: string
}

export interface Entry {
  readonly model: Model
  readonly documentId: string
  readonly path: string
  readonly places: readonly UnfilledRow[]
}

/** A version that a document lacks, to be copied from its other one. */
export interface VersionCopy {
  readonly model: Model
  readonly source: number
  readonly state: 'draft' | 'published'
}

export interface Seeding {
  readonly schema: Schema
  readonly dialect: DialectName
  readonly existing: Existing
  readonly now: Date
  /** Allowed locales; empty for any. */
  readonly locales: readonly string[]
  readonly defaultLocale: string
  readonly options: SeedOptions
  /** Cleared before the rows are written. */
  readonly removals: Cleared[]
  /** Types with a `$ref` outside the content: their documents are read. */
  readonly sought: Set<Model>
  readonly copies: VersionCopy[]
  readonly faults: Faults
  readonly rows: RowsToWrite
  readonly joins: SeededJoins
  readonly entries: Entry[]
  readonly entriesByRef: Map<Uid, Map<string, Entry>>
  /** Inline files: drafts, published rows and locales share the object, and so the file. */
  readonly inlineFiles: Map<ContentObject | string, Entry>
}
