import type { Schema } from '../../lib/schema'
import { findModel } from './entries'
import type { State } from './seeding'
import type { Seeding } from './seeding'

export interface SeededRow {
  readonly id: number
  readonly locale: string | null
  /** A type without drafts has published rows only. */
  readonly status: 'draft' | 'published'
}

/** An entry as it was written: what a test needs in order to ask for it. */
export interface SeededEntry {
  readonly documentId: string
  readonly rows: readonly SeededRow[]
}

export interface Seeded {
  /** An entry by its type and `$ref`; throws when the content had none of that name. */
  entry(type: string, ref: string): SeededEntry
}

const statusOf = (state: State): SeededRow['status'] => (state === 'draft' ? 'draft' : 'published')

function findEntry(schema: Schema, { entriesByRef }: Seeding, type: string, ref: string): SeededEntry {
  const model = findModel(schema, type)
  const entry = model === undefined ? undefined : entriesByRef.get(model.uid)?.get(ref)
  if (entry === undefined) throw new RangeError(`The content has no ${type} with the $ref ${ref}`)
  const rows = entry.places.map(({ row, context }) => ({
    id: row.id,
    locale: context.locale,
    status: statusOf(context.state),
  }))
  return { documentId: entry.documentId, rows }
}

export const seededOf = (seeding: Seeding): Seeded => ({
  entry: (type, ref) => findEntry(seeding.schema, seeding, type, ref),
})
