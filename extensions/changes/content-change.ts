import type { ChangedDocument, ContentChange } from './changes-options'
import type { ChangedRows, ChangedTables } from './take-changes'
import { anyTag, entryTag, oneTag, partsTag, restTag, typeTag } from './cache-tags'
import { type TableOwner, type TableOwners, publicName } from './table-owners'

export const anyChange: ContentChange = { types: '*', documents: '*', tags: [anyTag] }

/** Longer lists are replaced by `*`. */
const most = 500

export interface ChangedOwner {
  readonly owner: TableOwner
  readonly rows: ChangedRows
}

export const changedOwners = (tables: ChangedTables, ownerOf: TableOwners): readonly ChangedOwner[] =>
  [...tables].flatMap(([table, rows]) => {
    const owner = ownerOf(table)
    return owner === null ? [] : [{ owner, rows }]
  })

function* tagsOf({ owner, rows: { all: rows } }: ChangedOwner): Generator<string> {
  if (owner.holds === 'parts') {
    for (const type of owner.types) yield partsTag(type)
    return
  }
  const [type] = owner.types
  yield typeTag(type)
  if (rows === null) yield oneTag(type)
  for (const { ids, documents } of rows ?? [])
    for (const id of [...ids, ...documents]) yield entryTag(type, id)
}

/** Types and documents of a change; null for tables without content. */
export function contentChange(owners: readonly ChangedOwner[]): ContentChange | null {
  if (owners.length === 0) return null
  const types = new Set<string>()
  const documents = new Map<string, ChangedDocument>()
  const tags = new Set([restTag])
  for (const changed of owners) {
    const { owner, rows } = changed
    for (const type of owner.types) types.add(publicName(type))
    for (const tag of tagsOf(changed)) tags.add(tag)
    if (owner.holds === 'parts') continue
    const type = publicName(owner.types[0])
    for (const documentId of rows.all?.flatMap((row) => row.documents) ?? [])
      documents.set(`${type} ${documentId}`, { type, documentId })
    if (tags.size > most) return anyChange
  }
  return { types: [...types], documents: [...documents.values()], tags: [...tags] }
}

export function mergeChanges(one: ContentChange, other: ContentChange): ContentChange {
  if (one.types === '*' || other.types === '*' || one.documents === '*' || other.documents === '*')
    return anyChange
  const documents = new Map(
    [...one.documents, ...other.documents].map((shown) => [`${shown.type} ${shown.documentId}`, shown]),
  )
  const tags = [...new Set([...one.tags, ...other.tags])]
  if (tags.length > most) return anyChange
  return { types: [...new Set([...one.types, ...other.types])], documents: [...documents.values()], tags }
}
