import { didYouMean, type LinkField, type Model, type PhysicalColumn } from '../../lib/schema'
import {
  type WrittenValue,
  isContentList,
  isContentObject,
  isWrittenObject,
  readValues,
  type ContentObject,
} from './content'
import { fieldsOf } from './clear'
import { documentIdOf } from './rows'
import { join } from './join'
import { type Entry, type UnfilledRow, type Seeding, type Context, isRepeatable } from './seeding'
import { type StoredValue, toStored } from './to-stored'
import { enter } from './entries'

function findModelAmong(field: LinkField, name: string, { schema }: Seeding): Model | undefined {
  const targets = field.targets.flatMap((uid) => schema.models.get(uid) ?? [])
  return targets.find(({ uid, singularName }) => (uid as string) === name || singularName === name)
}

function namesOf(field: LinkField, { schema }: Seeding): string {
  return field.targets.map((uid) => schema.models.get(uid)?.singularName ?? uid).join(', ')
}

interface Reference {
  readonly ref: string
  readonly path: string
}

/** An entry that is in the database and not in the content. */
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
  const remedy =
    known === ''
      ? `add the $ref to an entry of ${model.singularName}`
      : `use an existing $ref, such as ${known}`
  faults.add(path, `there is no ${model.singularName} with the $ref ${ref}`, remedy)
  return null
}

/** In a relation to several types, a reference names the type: `{ article: 'first' }`. */
function findTyped(field: LinkField, { value, path }: WrittenValue, seeding: Seeding): Entry | null {
  const [pair, ...more] = isContentObject(value) ? Object.entries(value) : []
  const [type, ref] = pair ?? []
  if (type === undefined || typeof ref !== 'string' || more.length > 0) {
    seeding.faults.add(
      path,
      `the value must contain a type and the $ref of an entry, such as { article: 'first' }`,
    )
    return null
  }
  const model = findModelAmong(field, type, seeding)
  if (model !== undefined) return findNamed(model, { ref, path }, seeding)
  seeding.faults.add(path, `the relation cannot link to ${type}`, `link to ${namesOf(field, seeding)}`)
  return null
}

function findReferenced(field: LinkField, written: WrittenValue, seeding: Seeding): Entry | null {
  const { value, path } = written
  const [only, ...others] = field.targets.flatMap((uid) => seeding.schema.models.get(uid) ?? [])
  if (only === undefined || others.length > 0 || isContentObject(value))
    return findTyped(field, written, seeding)
  if (typeof value === 'string') return findNamed(only, { ref: value, path }, seeding)
  seeding.faults.add(path, `the value must be the $ref of an entry of ${only.singularName}`)
  return null
}

const textOf = (value: ContentObject): string =>
  JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part))

function findFile(field: LinkField, written: WrittenValue, seeding: Seeding): Entry | null {
  if (!isWrittenObject(written)) return findReferenced(field, written, seeding)
  // A repeated seed recognizes an inline file by its text.
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
function rowsFor(entry: Entry, from: Context, { defaultLocale }: Seeding): readonly UnfilledRow[] {
  const locale = from.locale ?? defaultLocale
  return entry.places
    .filter(({ model, context }) => !model.localized || context.locale === locale)
    .filter(({ context }) => [context.state, from.state].includes('only') || context.state === from.state)
}

/**
 * Attributes that are written with the row, or never by the content. A `locale` of a component is an ordinary
 * attribute.
 */
const hasOwnWay = ({ kind }: Model, attribute: string): boolean =>
  attribute === 'id' || attribute === 'documentId' || (attribute === 'locale' && kind !== 'component')

function writableColumns(model: Model): ReadonlyMap<string, PhysicalColumn> {
  const columns = model.physical.columns.flatMap((column) =>
    column.attribute === undefined || hasOwnWay(model, column.attribute)
      ? []
      : [[column.attribute, column] as const],
  )
  return new Map(columns)
}

function refuseUnknown({ model, values }: UnfilledRow, name: string, { faults }: Seeding): void {
  const known = [...writableColumns(model).keys(), ...fieldsOf(model).map((field) => field.name)]
  const problem = `${model.uid} has no attribute ${name} that seed can set`
  faults.add(values.get(name)?.path ?? name, problem, didYouMean(name, known))
}

function storedIn({ type }: PhysicalColumn, { value, path }: WrittenValue, seeding: Seeding): StoredValue {
  const result = toStored(value, type, seeding.dialect)
  if ('stored' in result) return result.stored
  // Content with faults is never written.
  seeding.faults.add(path, 'the value cannot be stored', `write ${result.expected}`)
  return null
}

interface Element extends WrittenValue {
  readonly position: number
}

function elementsOf(
  field: LinkField,
  { value, path }: WrittenValue,
  { faults }: Seeding,
): readonly Element[] {
  if (value === null) return []
  if (isContentList(value) !== field.many) {
    faults.add(
      path,
      field.many ? 'the value must be a list' : 'the value must be a single value and not a list',
    )
    return []
  }
  const list = isContentList(value) ? value : [value]
  const at = (index: number): string => (field.many ? `${path}[${String(index)}]` : path)
  return list.map((element, index) => ({ value: element, path: at(index), position: index + 1 }))
}

function componentModel(field: LinkField, { value, path }: Element, seeding: Seeding): Model | null {
  const named = isContentObject(value) ? value['__component'] : undefined
  const uid = field.targets.find((target) => (target as string) === (named ?? field.targets[0]))
  const isNamed = field.role !== 'zone' || named !== undefined
  const model = uid === undefined || !isNamed ? undefined : seeding.schema.models.get(uid)
  if (model !== undefined) return model
  seeding.faults.add(
    `${path}.__component`,
    'the value must be the uid of a component',
    `use one of ${field.targets.join(', ')}`,
  )
  return null
}

/** A component belongs to one row, so a draft and its published row have their own. */
function embed(
  place: UnfilledRow,
  field: LinkField,
  element: Element,
  seeding: Seeding,
): readonly UnfilledRow[] {
  const { path, position } = element
  if (!isWrittenObject(element)) {
    seeding.faults.add(path, 'the value must be an object with the attributes of a component')
    return []
  }
  const model = componentModel(field, element, seeding)
  if (model === null) return []
  const name = `${field.name}[${String(position)}]`
  const context = { ...place.context, documentId: documentIdOf(model.uid, place.context.documentId, name) }
  // Strapi's own component tables have no `document_id`; tables made by `migrate` do.
  const hasDocumentId = seeding.existing.columnsOf(model.table).includes('document_id')
  const row = seeding.rows.add(model.table, hasDocumentId ? { document_id: context.documentId } : {})
  join(seeding.joins, { field, ours: place.row, theirs: row, target: model, position })
  return [{ model, row, context, values: readValues(element), path }]
}

interface Connected {
  readonly place: UnfilledRow
  readonly field: LinkField
  readonly entry: Entry | null
  readonly position: number
}

function connect({ place, field, entry, position }: Connected, seeding: Seeding): void {
  if (entry === null) return
  const targets = rowsFor(entry, place.context, seeding)
  // A row that holds the key itself can hold one: the published row, which is the last.
  const kept = field.link.via === 'here' ? targets.slice(-1) : targets
  for (const target of kept) {
    join(seeding.joins, { field, ours: place.row, theirs: target.row, target: target.model, position })
  }
}

function putLink(
  place: UnfilledRow,
  field: LinkField,
  given: WrittenValue,
  seeding: Seeding,
): readonly UnfilledRow[] {
  const elements = elementsOf(field, given, seeding)
  switch (field.role) {
    case 'component':
    case 'zone':
      return elements.flatMap((element) => embed(place, field, element, seeding))
    case 'media':
      return elements.flatMap((element) => {
        const before = seeding.entries.length
        const { position } = element
        connect({ place, field, position, entry: findFile(field, element, seeding) }, seeding)
        return seeding.entries.slice(before).flatMap(({ places }) => places)
      })
    case 'relation':
    case 'morph':
      for (const element of elements) {
        const { position } = element
        connect({ place, field, position, entry: findReferenced(field, element, seeding) }, seeding)
      }
      return []
    case 'localizations':
      refuseUnknown(place, field.name, seeding)
      return []
  }
}

/** Writes the attributes of one row into its columns and links. Returns nested rows, which need the same. */
export function fillRow(place: UnfilledRow, seeding: Seeding): readonly UnfilledRow[] {
  const columns = writableColumns(place.model)
  const isKept = place.row.isKept === true
  return [...place.values].flatMap(([name, given]) => {
    // An update keeps the creation time, unless the content has one.
    if (isKept && name === 'createdAt' && !given.path.endsWith('.createdAt')) return []
    const column = columns.get(name)
    const { links, physical } = place.model
    const field = links.get(name) ?? physical.hiddenLinks.get(name)
    if (field !== undefined) {
      if (isKept) seeding.removals.push({ model: place.model, id: place.row.id, field })
      return putLink(place, field, given, seeding)
    }
    if (column !== undefined) place.row.columns[column.column] = storedIn(column, given, seeding)
    else if (name !== 'documentId' || place.model.kind === 'component') refuseUnknown(place, name, seeding)
    return []
  })
}
