import { type LinkField, type Model, nearest, type PhysicalColumn } from '../../lib/schema'
import { type WrittenValue, isContentList, isContentObject, isWrittenObject, readValues } from './content'
import { documentIdOf } from './document-id'
import { join } from './join'
import type { Entry, UnfilledRow, Seeding } from './seeding'
import { type StoredValue, toStored } from './to-stored'
import { findFile, findReferenced, rowsFor } from './find-referenced'

/** Written when the row is made, or never by the content. A component has no locale: what is called so is its own. */
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
  const links = [...model.links.values(), ...model.physical.hiddenLinks.values()].filter(
    ({ role }) => role !== 'localizations',
  )
  const known = [...writableColumns(model).keys(), ...links.map((link) => link.name)]
  const meant = nearest(name, known)
  const remedy = meant === undefined ? `it has ${known.join(', ')}` : `did you mean ${meant}?`
  const problem = `${model.uid} has no attribute ${name} that can be seeded`
  faults.add(values.get(name)?.path ?? name, problem, remedy)
}

function storedIn({ type }: PhysicalColumn, { value, path }: WrittenValue, seeding: Seeding): StoredValue {
  const result = toStored(value, type, seeding.dialect)
  if ('stored' in result) return result.stored
  // Nothing is written where there are faults.
  seeding.faults.add(path, 'the value cannot be stored', `it must be ${result.expected}`)
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
    faults.add(path, field.many ? 'must be a list' : 'must be one value and not a list')
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
  seeding.faults.add(`${path}.__component`, 'must name a component', `one of ${field.targets.join(', ')}`)
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
    seeding.faults.add(path, 'must be an object that holds the attributes of a component')
    return []
  }
  const model = componentModel(field, element, seeding)
  if (model === null) return []
  const name = `${field.name}[${String(position)}]`
  const context = { ...place.context, documentId: documentIdOf(model.uid, place.context.documentId, name) }
  const hasDocumentId = seeding.existing.hasDocumentId(model.table)
  const row = seeding.rows.add(model.table, hasDocumentId ? { document_id: context.documentId } : {})
  join(seeding.joins, { field, ours: place.row, theirs: row, target: model, position })
  return [{ model, row, context, values: readValues(element), path }]
}

/** An entry at its place among those that a row leads to. */
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

/** Puts the attributes of one row into its columns and links. Goes out: the rows that came up and want filling, too. */
export function fillRow(place: UnfilledRow, seeding: Seeding): readonly UnfilledRow[] {
  const columns = writableColumns(place.model)
  const isKept = place.row.isKept === true
  return [...place.values].flatMap(([name, given]) => {
    // An update leaves the time at which an entry was created, unless the content names it.
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
