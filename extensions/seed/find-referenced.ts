import type { LinkField, Model } from '../../lib/schema'
import { type ContentObject, isContentObject, isWrittenObject, type WrittenValue } from './content'
import { documentIdOf } from './document-id'
import { enter } from './entries'
import { type Context, type Entry, isRepeatable, type UnfilledRow, type Seeding } from './seeding'

function findModelAmong(field: LinkField, name: string, { schema }: Seeding): Model | undefined {
  const targets = field.targets.flatMap((uid) => schema.models.get(uid) ?? [])
  return targets.find(({ uid, singularName }) => (uid as string) === name || singularName === name)
}

function namesOf(field: LinkField, { schema }: Seeding): string {
  return field.targets.map((uid) => schema.models.get(uid)?.singularName ?? uid).join(', ')
}

/** An entry by its `$ref`. */
interface Reference {
  readonly ref: string
  readonly path: string
}

/** An entry that is not in the content, as the database holds it. */
function findStored(model: Model, ref: string, { existing, options, rows, sought }: Seeding): Entry | null {
  if (!isRepeatable(options)) return null
  sought.add(model)
  const documentId = documentIdOf(model.uid, ref)
  const places = existing.rowsOf(model.table, documentId).map(({ id, locale, isPublished }): UnfilledRow => {
    const state = !model.draftAndPublish ? 'only' : isPublished ? 'published' : 'draft'
    const row = rows.keep(model.table, id)
    return { model, row, context: { documentId, locale, state }, values: new Map(), path: '' }
  })
  return places.length === 0 ? null : { model, documentId, path: '', places }
}

function findNamed(model: Model, { ref, path }: Reference, seeding: Seeding): Entry | null {
  const { faults, entriesByRef } = seeding
  const named = entriesByRef.get(model.uid)
  const entry = named?.get(ref) ?? findStored(model, ref, seeding)
  if (entry !== null) return entry
  const known = [...(named?.keys() ?? [])].slice(0, 12).join(', ')
  const remedy = known === '' ? `give an entry of ${model.singularName} this $ref` : `known are ${known}`
  faults.add(path, `there is no ${model.singularName} with the $ref ${ref}`, remedy)
  return null
}

/** Where a relation may lead to several types, a reference says which: `{ article: 'first' }`. */
function findTyped(field: LinkField, { value, path }: WrittenValue, seeding: Seeding): Entry | null {
  const [pair, ...more] = isContentObject(value) ? Object.entries(value) : []
  const [type, ref] = pair ?? []
  if (type === undefined || typeof ref !== 'string' || more.length > 0) {
    seeding.faults.add(path, "must name a type and an entry of it, such as { article: 'first' }")
    return null
  }
  const model = findModelAmong(field, type, seeding)
  if (model !== undefined) return findNamed(model, { ref, path }, seeding)
  seeding.faults.add(path, `cannot lead to ${type}`, `it leads to ${namesOf(field, seeding)}`)
  return null
}

export function findReferenced(field: LinkField, written: WrittenValue, seeding: Seeding): Entry | null {
  const { value, path } = written
  const [only, ...others] = field.targets.flatMap((uid) => seeding.schema.models.get(uid) ?? [])
  if (only === undefined || others.length > 0 || isContentObject(value))
    return findTyped(field, written, seeding)
  if (typeof value === 'string') return findNamed(only, { ref: value, path }, seeding)
  seeding.faults.add(path, `must be the $ref of an entry of ${only.singularName}`)
  return null
}

const textOf = (value: ContentObject): string =>
  JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part))

/** A file is given by its `$ref`, or written where it is used. */
export function findFile(field: LinkField, written: WrittenValue, seeding: Seeding): Entry | null {
  if (!isWrittenObject(written)) return findReferenced(field, written, seeding)
  // Repeated, a file is recognized by all that is written of it.
  const name = isRepeatable(seeding.options) ? textOf(written.value) : null
  const known = seeding.inlineFiles.get(name ?? written.value)
  if (known !== undefined) return known
  const [uid] = field.targets
  const model = uid === undefined ? undefined : seeding.schema.models.get(uid)
  if (model === undefined) return null
  const file = enter(model, written, seeding, name)
  seeding.inlineFiles.set(name ?? written.value, file)
  return file
}

/**
 * The rows of an entry that a row links to, by Strapi's rules. Drafts link to drafts, and published rows to published
 * rows; a type without drafts links to both. A localized row links to its own locale, any other to the default locale.
 */
export function rowsFor(entry: Entry, from: Context, { defaultLocale }: Seeding): readonly UnfilledRow[] {
  const locale = from.locale ?? defaultLocale
  return entry.places
    .filter(({ model, context }) => !model.localized || context.locale === locale)
    .filter(({ context }) => [context.state, from.state].includes('only') || context.state === from.state)
}
