import { createHash } from 'node:crypto'
import type { BodySource } from '../../lib/http'
import type { LevelRows } from '../../lib/read'
import type { Model } from '../../lib/schema'
import { type TableOwners, publicName } from './table-owners'

/** Every answer carries it. */
export const anyTag = 'content'

/** Tag of responses that were also read from types that the role may not know; every change purges it. */
export const restTag = 'content.rest'

/** Letters that no cache takes for the end of a tag, nor refuses. */
const plain = /^[\w.-]{1,64}$/

const word = (text: string): string =>
  plain.test(text) ? text : createHash('sha256').update(text).digest('base64url').slice(0, 22)

/** Answers that any change among the entries of a type may change: lists, and what is found through it. */
export const typeTag = (model: Model): string => word(publicName(model))

/** Answers that show one entry, which has a tag of its own, and hang on no other. */
export const oneTag = (model: Model): string => word(`${publicName(model)}.one`)

/** Answers that were read from links or components of a type's entries. */
export const partsTag = (model: Model): string => word(`${publicName(model)}.parts`)

/** Answers that show an entry, by its document or the number of its row. */
export const entryTag = (model: Model, id: string): string => `${typeTag(model)}/${word(id)}`

/** The limits of the strictest caches: 50 tags on CloudFront, and by default 4 KB for all headers on nginx. */
const mostTags = 50
const mostBytes = 2000

const lengthOf = (tags: Iterable<string>): number => [...tags].reduce((sum, tag) => sum + tag.length + 1, 0)

/** Each entry that is shown and has a document, until there are too many. */
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
 * What stands for an answer that shows one document, in place of its type's tag. Rows of other documents change nothing of it,
 * as long as the type's table was looked into for this document alone.
 */
function tagsOfOne({ rows, documentId, isNamedOnce }: BodySource): readonly string[] | null {
  const { model } = rows.of.level
  const [row] = rows.rows
  if (documentId === null || row === undefined || row === null || !isNamedOnce(model.table)) return null
  return [oneTag(model), entryTag(model, documentId), entryTag(model, String(row[0]))]
}

/** Of each table one tag, which goes whenever that table is changed. */
function tagsOfTables(source: BodySource, ownerOf: TableOwners): Set<string> {
  const { tables, mayName, rows } = source
  const root = rows.of.level.model
  const ofOne = mayName(root) ? tagsOfOne(source) : null
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

type AnswerTags = (source: BodySource) => string

/** What an answer is purged by, and the documents that it shows; of too many, the types alone. */
export function makeAnswerTags(ownerOf: TableOwners): AnswerTags {
  return (source) => {
    // In which order statements end, and a database brings rows, hangs on others that may not be seen.
    const tags = new Set([anyTag, ...[...tagsOfTables(source, ownerOf)].sort()])
    if (tags.size > mostTags || lengthOf(tags) > mostBytes) return `${anyTag} ${restTag}`
    const needed = [...tags]
    for (const [model, documentId] of shownDocuments(source.rows)) {
      if (source.mayName(model)) tags.add(entryTag(model, documentId))
      if (tags.size > mostTags) break
    }
    if (tags.size > mostTags || lengthOf(tags) > mostBytes) return needed.join(' ')
    return [...needed, ...[...tags].slice(needed.length).sort()].join(' ')
  }
}
