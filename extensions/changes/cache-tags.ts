import { createHash } from 'node:crypto'
import type { BodySource } from '../../lib/http'
import type { LevelRows } from '../../lib/read'
import type { Model } from '../../lib/schema'
import { type TableOwners, publicName } from './table-owners'

/** Tag of every response. */
export const anyTag = 'content'

/** Tag of responses that were also read from types hidden from the role; every change purges it. */
export const restTag = 'content.rest'

/** Characters that every cache accepts in a tag. */
const plain = /^[\w.-]{1,64}$/

const word = (text: string): string =>
  plain.test(text) ? text : createHash('sha256').update(text).digest('base64url').slice(0, 22)

/** Tag of responses that any change of an entry of the type may change: lists, and filters through the type. */
export const typeTag = (model: Model): string => word(publicName(model))

/** Tag of responses that show one entry, have its tag, and depend on no other entry. */
export const oneTag = (model: Model): string => word(`${publicName(model)}.one`)

/** Tag of responses that were read from relations or components of the type's entries. */
export const partsTag = (model: Model): string => word(`${publicName(model)}.parts`)

/** Tag of responses that show an entry, by its document id or row id. */
export const entryTag = (model: Model, id: string): string => `${typeTag(model)}/${word(id)}`

/** The limits of the strictest caches: 50 tags on CloudFront, and by default 4 KB for all headers on nginx. */
const mostTags = 50
const mostBytes = 2000

const lengthOf = (tags: Iterable<string>): number => [...tags].reduce((sum, tag) => sum + tag.length + 1, 0)

/** Shown entries with a document id, each once. */
function* shownDocuments(rows: LevelRows, seen = new Set<LevelRows>()): Generator<[Model, string]> {
  if (seen.has(rows)) return
  seen.add(rows)
  const { level, positions, branches } = rows.of
  const at = positions.get('document_id')
  for (const row of at === undefined || level.model.kind === 'component' ? [] : rows.rows) {
    const documentId = at === undefined ? undefined : row?.[at]
    if (typeof documentId === 'string') yield [level.model, documentId]
  }
  for (const [index, lists] of rows.children.entries()) {
    if (branches[index]?.branch.answer === 'count') continue
    const below = new Set(lists.flatMap((list) => list?.map((child) => child.in) ?? []))
    for (const child of below) if (child !== null) yield* shownDocuments(child, seen)
  }
}

/**
 * Tags in place of the type's tag for a response with one document. Rows of other documents do not change it, if the
 * type's table was searched for this document alone.
 */
function tagsOfOne({ rows, documentId, isNamedOnce }: BodySource): readonly string[] | null {
  if (rows === null) return null
  const { model } = rows.of.level
  const [row] = rows.rows
  // Changes name rows by their column id.
  if (model.key.column !== 'id') return null
  if (documentId === null || row === undefined || row === null || !isNamedOnce(model.table)) return null
  return [oneTag(model), entryTag(model, documentId), entryTag(model, String(row[0]))]
}

/** One tag for each table, purged by every change of that table. */
function tagsOfTables(source: BodySource, ownerOf: TableOwners): Set<string> {
  const { tables, mayName, rows } = source
  const root = rows === null ? null : rows.of.level.model
  const ofOne = root !== null && mayName(root) ? tagsOfOne(source) : null
  const tags = new Set<string>()
  for (const table of tables()) {
    const owner = ownerOf(table)
    const named = owner?.types.find(mayName)
    if (owner === null || named === undefined) tags.add(restTag)
    else if (owner.holds === 'parts') tags.add(partsTag(named))
    else if (named === root && ofOne !== null) for (const tag of ofOne) tags.add(tag)
    else tags.add(typeTag(named))
  }
  return tags
}

type CacheTagsOf = (source: BodySource) => string

/** Tags that purge the response, and tags of its documents; with too many, those of the types alone. */
export function makeCacheTags(ownerOf: TableOwners): CacheTagsOf {
  return (source) => {
    // Sorted, because the order of statements and rows may depend on hidden rows.
    const tags = new Set([anyTag, ...[...tagsOfTables(source, ownerOf)].sort()])
    if (tags.size > mostTags || lengthOf(tags) > mostBytes) return `${anyTag} ${restTag}`
    const needed = [...tags]
    for (const [model, documentId] of source.rows === null ? [] : shownDocuments(source.rows)) {
      if (source.mayName(model)) tags.add(entryTag(model, documentId))
      if (tags.size > mostTags) break
    }
    if (tags.size > mostTags || lengthOf(tags) > mostBytes) return needed.join(' ')
    return [...needed, ...[...tags].slice(needed.length).sort()].join(' ')
  }
}
