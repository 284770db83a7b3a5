import type { ChangedDocument } from '../config'
import type { ChangedRow } from '../feed'
import type { Model } from '../schema'
import type { ChangedOwner } from './content-change'
import { toldName } from './table-owners'

/**
 * Which rows of a type somebody may see: all, those that are published, or such as cannot be told without asking for each, of
 * which he hears nothing.
 */
export type Sight = (model: Model) => 'all' | 'published' | 'none'

export interface ShownChange {
  readonly types: readonly string[]
  readonly documents: readonly ChangedDocument[]
}

/** Rows that are seen now or were before; null where that cannot be told of so many. */
function seenRows({ owner, rows }: ChangedOwner, sight: Sight): readonly ChangedRow[] | null {
  if (owner.holds === 'parts') return []
  const seen = sight(owner.types[0])
  if (seen === 'none') return []
  return seen === 'all' ? rows.all : rows.published
}

/** Of what hangs on entries it is not told on which, so that it is told where all of them may be seen, at both ends of links. */
function seenTypes({ owner, rows }: ChangedOwner, sight: Sight): readonly Model[] {
  const areSeen = (types: readonly Model[]): boolean => types.every((type) => sight(type) === 'all')
  if (owner.holds === 'parts') return areSeen([...owner.types, ...owner.ends]) ? owner.types : []
  return areSeen(owner.types) || (seenRows({ owner, rows }, sight) ?? []).length > 0 ? owner.types : []
}

/** What of a change somebody may know; null where he may know nothing. `anything`: more than can be told. */
export function shownChange(owners: Iterable<ChangedOwner>, sight: Sight): ShownChange | 'anything' | null {
  const types = new Set<string>()
  const documents = new Map<string, ChangedDocument>()
  for (const changed of owners) {
    const rows = seenRows(changed, sight)
    if (rows === null) return 'anything'
    for (const type of seenTypes(changed, sight)) types.add(toldName(type))
    const [type] = seenTypes(changed, sight)
    if (type === undefined) continue
    const name = toldName(type)
    for (const documentId of rows.flatMap((row) => row.documents))
      documents.set(`${name} ${documentId}`, { type: name, documentId })
  }
  return types.size === 0 ? null : { types: [...types], documents: [...documents.values()] }
}
