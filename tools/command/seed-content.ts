import { fileUid, type LinkField, type Model, modelOf, type Schema, type Uid } from '../../lib/schema'

type ReadEntry = Readonly<Record<string, unknown>>
type SeedValues = Record<string, unknown>

/** What the content has of a type: its entries, and the files that they use. */
export interface SeedReading {
  readonly schema: Schema
  /** Types of the content. Relations to other types are left out. */
  readonly models: readonly Model[]
  readonly readList: (model: Model, query: string) => Promise<readonly ReadEntry[]>
}

const isEntry = (value: unknown): value is ReadEntry => typeof value === 'object' && value !== null

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The fields of `populate`, for the components of a type at any depth. */
function populateOf(schema: Schema, { links }: Model, at: string): readonly string[] {
  return [...links.values()].flatMap(({ name, role, targets }) => {
    const path = `${at}[${name}]`
    const inside = (target: Uid, place: string): readonly string[] => [
      `${place}[fields]=*`,
      ...populateOf(schema, modelOf(schema, target), `${place}[populate]`),
    ]
    switch (role) {
      case 'relation':
        return [`${path}[fields]=documentId`]
      case 'localizations':
        return [`${path}[fields]=locale`]
      case 'media':
      case 'morph':
        return [`${path}=true`]
      case 'component':
        return targets.flatMap((target) => inside(target, path))
      case 'zone':
        return targets.flatMap((target) => inside(target, `${path}[on][${target}]`))
    }
  })
}

/** Makes the values of one row as `seed` writes them. References are document ids. */
class SeedWriter {
  readonly files = new Map<string, SeedValues>()
  readonly locales = new Set<string>()

  constructor(private readonly reading: SeedReading) {}

  private isTold(uid: unknown): boolean {
    return this.reading.models.some((model) => model.uid === uid)
  }

  private file(entry: ReadEntry): string {
    const documentId = textOf(entry['documentId'])
    const { columns } = modelOf(this.reading.schema, fileUid as Uid)
    if (!this.files.has(documentId)) {
      const own = [...columns.keys()].filter((name) => name !== 'id' && name !== 'locale')
      const values = own.map((name) => [name, entry[name]] as const)
      this.files.set(documentId, { $ref: documentId, ...Object.fromEntries(values) })
    }
    return documentId
  }

  private component(entry: ReadEntry, uid: Uid): SeedValues {
    return this.values(modelOf(this.reading.schema, uid), entry)
  }

  private child({ role, targets }: LinkField, entry: ReadEntry): unknown {
    const [only] = targets
    if (role === 'media') return this.file(entry)
    if (role === 'relation') return entry['documentId']
    if (role === 'morph') return { [textOf(entry['__type'])]: entry['documentId'] }
    if (role === 'component' && only !== undefined) return this.component(entry, only)
    const uid = textOf(entry['__component'])
    return { __component: uid, ...this.component(entry, uid as Uid) }
  }

  private linked(field: LinkField, value: unknown): unknown {
    const shown = (Array.isArray(value) ? value : [value]).filter(isEntry)
    const told = field.role === 'morph' ? shown.filter((entry) => this.isTold(entry['__type'])) : shown
    const made = told.map((entry) => this.child(field, entry))
    // Entries without locales are linked to each locale of a document.
    const isReference = field.role === 'relation' || field.role === 'morph'
    const each = isReference ? [...new Map(made.map((one) => [JSON.stringify(one), one])).values()] : made
    return field.many ? each : (each[0] ?? null)
  }

  private isWritten({ role, targets }: LinkField): boolean {
    if (role === 'localizations') return false
    return role !== 'relation' || targets.every((target) => this.isTold(target))
  }

  values({ columns, links }: Model, entry: ReadEntry): SeedValues {
    const own = [...columns.keys()].filter((name) => !['id', 'documentId', 'locale'].includes(name))
    const written = [...links.values()].filter((field) => this.isWritten(field))
    return Object.fromEntries([
      ...own.filter((name) => name in entry).map((name) => [name, entry[name]] as const),
      ...written.map((field) => [field.name, this.linked(field, entry[field.name])] as const),
    ])
  }
}

/** One locale of a document: the published values, and what the draft has instead. */
function versionOf(published: SeedValues | undefined, draft: SeedValues | undefined): SeedValues {
  if (published === undefined) return { ...draft, publishedAt: undefined, $status: 'draft' }
  const changed = Object.entries(draft ?? {}).filter(
    ([name, value]) => name !== 'publishedAt' && JSON.stringify(value) !== JSON.stringify(published[name]),
  )
  const isModified = changed.some(([name]) => name !== 'updatedAt' && name !== 'createdAt')
  const updatedAt = draft?.['updatedAt']
  return isModified ? { ...published, $draft: { ...Object.fromEntries(changed), updatedAt } } : published
}

interface Document {
  /** The smallest id of its rows: documents keep their order. */
  first: number
  readonly versions: Map<string, Partial<Record<'published' | 'draft', SeedValues>>>
}

async function entriesOf(
  reading: SeedReading,
  writer: SeedWriter,
  model: Model,
): Promise<readonly SeedValues[]> {
  const populate = populateOf(reading.schema, model, 'populate')
  const documents = new Map<string, Document>()
  for (const status of model.draftAndPublish ? (['published', 'draft'] as const) : (['published'] as const)) {
    const parts = [...populate, ...(model.localized ? ['locale=*'] : []), `status=${status}`]
    for (const entry of await reading.readList(model, parts.join('&'))) {
      const id = textOf(entry['documentId'])
      const row = Number(entry['id'])
      const document: Document = documents.get(id) ?? { first: row, versions: new Map() }
      document.first = Math.min(document.first, row)
      const locale = textOf(entry['locale'])
      if (model.localized) writer.locales.add(locale)
      const before = document.versions.get(locale)
      document.versions.set(locale, { ...before, [status]: writer.values(model, entry) })
      documents.set(id, document)
    }
  }
  const sorted = [...documents].sort(([, one], [, other]) => one.first - other.first)
  return sorted.map(([documentId, { versions }]) => {
    const texts = [...versions].map(
      ([locale, { published, draft }]) => [locale, versionOf(published, draft)] as const,
    )
    const [[locale, first] = ['', {}], ...others] = texts
    const localized = model.localized
      ? { $locale: locale, ...(others.length > 0 ? { $locales: Object.fromEntries(others) } : {}) }
      : {}
    return { $ref: documentId, documentId, ...localized, ...first }
  })
}

/** The locales of the entries, the default locale first. Empty if no list shows the default locale. */
async function localesIn(
  { models, readList }: SeedReading,
  locales: Iterable<string>,
): Promise<readonly string[]> {
  for (const model of models.filter(({ localized, kind }) => localized && kind === 'collectionType')) {
    const [entry] = await readList(model, 'pagination[limit]=1')
    if (entry !== undefined) return [...new Set([textOf(entry['locale']), ...locales])]
  }
  return []
}

/** The text of content that `seed` reads: a line for each entry. */
export async function seedContent(reading: SeedReading): Promise<string> {
  const writer = new SeedWriter(reading)
  const types: [string, readonly unknown[]][] = []
  for (const model of reading.models) types.push([model.uid, await entriesOf(reading, writer, model)])
  if (writer.files.size > 0) types.unshift([fileUid, [...writer.files.values()]])
  const written = types.map(
    ([uid, entries]) =>
      `${JSON.stringify(uid)}:[\n${entries.map((entry) => JSON.stringify(entry)).join(',\n')}\n]`,
  )
  const locales = await localesIn(reading, writer.locales)
  if (locales.length > 0) written.unshift(`"$locales":${JSON.stringify(locales)}`)
  return `{${written.join(',\n')}}\n`
}
