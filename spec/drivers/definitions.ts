import type { Definition } from '../../lib/schema'

const info = { singularName: 'note', pluralName: 'notes', displayName: 'Note' }

/** A type small enough to change from one run to the next. */
export function note(attributes: Record<string, unknown>): Definition[] {
  return [{ kind: 'collectionType', collectionName: 'notes', info, attributes } as Definition]
}
