import type { DialectName } from '../../lib/database'
import type { Model, Schema, Uid } from '../../lib/schema'
import type { ContentObject, WrittenValues } from './content'
import type { Cleared } from './clear'
import type { Existing } from './existing'
import type { Faults } from './faults'
import type { SeededJoins } from './join'
import type { RowToWrite, RowsToWrite } from './rows'

export interface SeedOptions {
  /**
   * Updates the documents of the content that exist, found by `documentId` or `$ref`. Attributes that the content does not name stay.
   * @default false
   */
  readonly upsert?: boolean
  /**
   * First empties the types that the content names, with their locales, links and components. Files stay.
   * @default false
   */
  readonly reset?: boolean
}

export const seedOptions: Readonly<Record<keyof SeedOptions, true>> = { upsert: true, reset: true }

export const isRepeatable = ({ upsert = false, reset = false }: SeedOptions): boolean => upsert || reset

/** Which row of a document: the draft, the published one, or the one row of a type that has no drafts. */
export type State = 'draft' | 'published' | 'only'

/** What a row takes over from the entry it belongs to; a component takes it over from the row that holds it. */
export interface Context {
  readonly documentId: string
  readonly locale: string | null
  readonly state: State
}

/** A row and the attributes that still have to be put into it. */
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

/** A version that a document lacks, to be made from the one that it has. */
export interface VersionCopy {
  readonly model: Model
  readonly source: number
  readonly state: 'draft' | 'published'
}

/** What every step of one `seed` shares. */
export interface Seeding {
  readonly schema: Schema
  readonly dialect: DialectName
  readonly existing: Existing
  readonly now: Date
  /** The locales that may be used; none: any. */
  readonly locales: readonly string[]
  readonly defaultLocale: string
  readonly options: SeedOptions
  /** What is cleared before the rows are written. */
  readonly removals: Cleared[]
  /** Types of which a `$ref` was not in the content: their documents are read. */
  readonly sought: Set<Model>
  /** Versions that a document lacks: they begin as copies of the one that it has. */
  readonly copies: VersionCopy[]
  readonly faults: Faults
  readonly rows: RowsToWrite
  readonly joins: SeededJoins
  readonly entries: Entry[]
  readonly entriesByRef: Map<Uid, Map<string, Entry>>
  /** Files written where they are used: drafts, published rows and locales share the object, and so the file. */
  readonly inlineFiles: Map<ContentObject | string, Entry>
}
