import { extname } from 'node:path'
import { once } from '../../lib/memory'
import { fileUid, type Model, modelNamed, nearest, type Schema } from '../../lib/schema'
import {
  type ContentObject,
  type ContentValue,
  isContentList,
  isWrittenObject,
  type SeedContent,
  type WrittenObject,
  type WrittenValue,
} from './content'
import { documentIdOf, type RowToWrite } from './rows'
import { type Entry, isRepeatable, type UnfilledRow, type Seeding } from './seeding'
import { readVersions, type Version } from './versions'

const mimes: Readonly<Record<string, string>> = {
  '.avif': 'image/avif',
  '.gif': 'image/gif',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
  '.webp': 'image/webp',
}

const lastSegment = (url: ContentValue): string | null =>
  typeof url === 'string' ? (url.split('/').at(-1) ?? null) : null

/** Strapi always stores these attributes of a file; they follow from the name, so a test may give the name alone. */
function completeFile(file: ContentObject): ContentObject {
  const name = file['name'] ?? lastSegment(file['url'])
  if (typeof name !== 'string') return file
  const ext = extname(name)
  const stem = name.slice(0, name.length - ext.length).replace(/[^\w-]+/g, '_')
  const hash = typeof file['hash'] === 'string' ? file['hash'] : stem
  const known: ContentObject = {
    name,
    hash,
    ext,
    mime: mimes[ext.toLowerCase()] ?? 'application/octet-stream',
    size: 0,
    url: `/uploads/${hash}${ext}`,
    provider: 'local',
    folderPath: '/',
  }
  return { ...known, ...file }
}

/** A type by its uid or its singular name. Built-in types (`file`, `user`) come after those of the host. */
export function findModel(schema: Schema, name: string): Model | undefined {
  const types = [...schema.models.values()].filter(({ kind }) => kind !== 'component')
  return modelNamed(schema, name) ?? types.find(({ singularName }) => singularName === name)
}

function givenDocumentId({ value, path }: WrittenObject, { faults }: Seeding): string | null {
  const { documentId } = value
  if (typeof documentId === 'string' && documentId !== '') return documentId
  if (documentId !== undefined) faults.add(`${path}.documentId`, 'the value must be a string')
  return null
}

/** The document id of an entry in the content or, for a single type, in the database. */
function knownDocumentId(
  model: Model,
  written: WrittenObject,
  seeding: Seeding,
  name: string | null,
): string | null {
  const { options, existing, faults } = seeding
  const { $ref } = written.value
  const ref = typeof $ref === 'string' ? $ref : name
  const told = givenDocumentId(written, seeding) ?? (ref === null ? null : documentIdOf(model.uid, ref))
  if (told !== null || !isRepeatable(options)) return told
  if (model.kind === 'singleType') return existing.documentsOf(model.table)[0] ?? null
  if (options.reset !== true)
    faults.add(
      written.path,
      'the option upsert requires a key for the entry',
      'add a $ref or a documentId to the entry',
    )
  return null
}

/** Existing rows of an updated document. Versions that are no longer in the content's locales are removed. */
function existingRows(
  model: Model,
  documentId: string | null,
  versions: readonly Version[],
  { existing, rows, removals, copies }: Seeding,
): readonly (RowToWrite | null)[] {
  const known = documentId === null ? [] : existing.rowsOf(model.table, documentId)
  const kept = versions.map(({ locale, state }) =>
    known.find(
      (row) => row.locale === locale && (state === 'only' || row.isPublished === (state === 'published')),
    ),
  )
  versions.forEach(({ locale, state }, at) => {
    const other = known.find((row) => row.locale === locale)
    if (other !== undefined && kept[at] === undefined && state !== 'only')
      copies.push({ model, source: other.id, state })
  })
  for (const row of known)
    if (!kept.includes(row) && versions.some(({ locale }) => locale === row.locale))
      removals.push({ model, id: row.id, field: null })
  return kept.map((row) => (row === undefined ? null : rows.keep(model.table, row.id)))
}

/**
 * Makes the rows of an entry without values, so that others can link to them first. `name`: that of a file without
 * `$ref`.
 */
export function enter(
  model: Model,
  { value, path }: WrittenObject,
  seeding: Seeding,
  name: string | null = null,
): Entry {
  const written = { value: model.uid === fileUid ? completeFile(value) : value, path }
  const versions = readVersions(model, written, seeding)
  const known = knownDocumentId(model, written, seeding, name)
  const kept = existingRows(model, known, versions, seeding)
  const rows = versions.map(({ locale }, at) => kept[at] ?? seeding.rows.add(model.table, { locale }))
  const documentId = known ?? documentIdOf(model.uid, `#${String(rows[0]?.id ?? 0)}`)
  const toPlace = ({ locale, state, values }: Version, index: number): UnfilledRow[] => {
    const row = rows[index]
    if (row === undefined) return []
    row.columns['document_id'] = documentId
    return [{ model, row, context: { documentId, locale, state }, values, path }]
  }
  const entry: Entry = { model, documentId, path, places: versions.flatMap(toPlace) }
  seeding.entries.push(entry)
  return entry
}

function name(entry: Entry, object: ContentObject, { faults, entriesByRef }: Seeding): void {
  const { $ref } = object
  if ($ref === undefined) return
  if (typeof $ref !== 'string') {
    faults.add(`${entry.path}.$ref`, 'the value must be a string')
    return
  }
  const { uid, singularName } = entry.model
  const named = once(entriesByRef, uid, () => new Map<string, Entry>())
  if (named.has($ref)) faults.add(`${entry.path}.$ref`, `another ${singularName} has the $ref ${$ref}`)
  named.set($ref, entry)
}

function readOne(model: Model, written: WrittenValue, seeding: Seeding): void {
  if (isWrittenObject(written)) name(enter(model, written, seeding), written.value, seeding)
  else seeding.faults.add(written.path, 'the value must be an object with the attributes of an entry')
}

function readType(key: string, value: ContentValue, seeding: Seeding): void {
  const model = findModel(seeding.schema, key)
  if (model === undefined) {
    const names = [...seeding.schema.models.values()].map(({ singularName }) => singularName)
    const meant = nearest(key, names)
    const remedy =
      meant === undefined ? 'write the singular name or the uid of a type' : `did you mean ${meant}?`
    seeding.faults.add(key, 'the content type does not exist', remedy)
  } else if (!isContentList(value)) {
    readOne(model, { value, path: key }, seeding)
  } else if (model.kind === 'singleType' && value.length > 1) {
    seeding.faults.add(key, 'a single type can have only one entry')
  } else {
    value.forEach((element, index) => {
      readOne(model, { value: element, path: `${key}[${String(index)}]` }, seeding)
    })
  }
}

export function readEntries(content: SeedContent, seeding: Seeding): void {
  for (const [key, value] of Object.entries(content)) {
    if (key === '$locales') continue
    if (key.startsWith('$')) seeding.faults.add(key, 'the key does not exist', 'write $locales')
    else if (value !== undefined) readType(key, value, seeding)
  }
}
