import type { LevelRows } from '../load'
import type { Model } from '../schema'
import { type TableOwners } from './table-owners'
import { anyTag, entryTag, oneTag, partsTag, restTag, typeTag } from './tags'

/** What the strictest of those who take them take: CloudFront 50; nginx a head of 4 KB in all, unless it is told otherwise. */
const mostTags = 50
const mostBytes = 2000

/** What an answer was read from. */
export interface AnswerSource {
  readonly tables: ReadonlySet<string>
  /** Whether a table is named once in all that was read. */
  readonly isNamedOnce: (table: string) => boolean
  /** The document that was asked for; null where more than one entry may be shown. */
  readonly documentId: string | null
  readonly rows: LevelRows
  /** Whether whoever asked may know the type. */
  readonly mayName: (model: Model) => boolean
}

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
function tagsOfOne({ rows, documentId, isNamedOnce }: AnswerSource): readonly string[] | null {
  const { model } = rows.of.level
  const [row] = rows.rows
  if (documentId === null || row === undefined || row === null || !isNamedOnce(model.table)) return null
  return [oneTag(model), entryTag(model, documentId), entryTag(model, String(row[0]))]
}

/** Of each table one tag, which goes whenever that table is changed. */
function tagsOfTables(source: AnswerSource, ownerOf: TableOwners): Set<string> {
  const { tables, mayName, rows } = source
  const root = rows.of.level.model
  const ofOne = mayName(root) ? tagsOfOne(source) : null
  const tags = new Set<string>()
  for (const table of tables) {
    const owner = ownerOf(table)
    const named = owner?.types.find(mayName)
    if (owner === null || named === undefined) tags.add(restTag)
    else if (owner.holds === 'parts') tags.add(partsTag(named))
    else if (named === root && ofOne !== null) for (const tag of ofOne) tags.add(tag)
    else tags.add(typeTag(named))
  }
  return tags
}

export type AnswerTags = (source: AnswerSource) => string

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
