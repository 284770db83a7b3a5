// The rows that a database holds after seeding, worked out from the content as docs/how-to/seed.md says, without a database.

export interface Attribute {
  readonly type: string
  readonly relation?: string
  readonly target?: string
  readonly inversedBy?: string
  readonly mappedBy?: string
  readonly morphBy?: string
  readonly useJoinTable?: boolean
  readonly multiple?: boolean
  readonly component?: string
  readonly repeatable?: boolean
  readonly components?: readonly string[]
  readonly private?: boolean
  readonly enum?: readonly string[]
}

/** A content type or component as Strapi's schema files define it. */
export interface Definition {
  readonly uid: string
  readonly kind?: 'collectionType' | 'singleType'
  readonly collectionName: string
  readonly info: { readonly singularName: string; readonly pluralName: string }
  readonly options: { readonly draftAndPublish: boolean }
  readonly pluginOptions: { readonly i18n: { readonly localized: boolean } }
  readonly attributes: Readonly<Record<string, Attribute>>
}

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }
export type JsonObject = Readonly<Record<string, Json>>
export type Content = Readonly<Record<string, readonly JsonObject[] | readonly string[]>>

export interface Row {
  readonly type: Definition
  readonly id: number
  readonly documentId: string
  readonly locale: string | null
  readonly state: 'draft' | 'published' | 'only'
  readonly given: JsonObject
  /** By attribute, in the editor's order. */
  readonly links: Map<string, Row[]>
}

/** Everything that is stored. */
export interface Store {
  readonly types: ReadonlyMap<string, Definition>
  readonly defaultLocale: string
  readonly rows: readonly Row[]
}

const text: Attribute = { type: 'string' }

/** The fields of a media entry: service.md 2.5, and what the recordings show besides. */
export const fileType: Definition = {
  uid: 'plugin::upload.file',
  kind: 'collectionType',
  collectionName: 'files',
  info: { singularName: 'file', pluralName: 'files' },
  options: { draftAndPublish: false },
  pluginOptions: { i18n: { localized: false } },
  attributes: {
    ...{ name: text, alternativeText: text, caption: text, focalPoint: { type: 'json' } },
    ...{ width: { type: 'integer' }, height: { type: 'integer' }, formats: { type: 'json' }, hash: text },
    ...{ ext: text, mime: text, size: { type: 'decimal' }, url: text, previewUrl: text, provider: text },
    provider_metadata: { type: 'json' },
  },
}

const hasDrafts = ({ options }: Definition): boolean => options.draftAndPublish
export const isLocalized = ({ pluginOptions }: Definition): boolean => pluginOptions.i18n.localized
export const isComponent = ({ kind }: Definition): boolean => kind === undefined

interface Version {
  readonly locale: string | null
  readonly state: Row['state']
  readonly given: JsonObject
}

const attributesOf = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([key]) => !key.startsWith('$')))

function versionsOf(type: Definition, entry: JsonObject, defaultLocale: string): Version[] {
  const base = attributesOf(entry)
  const others = Object.entries((entry['$locales'] ?? {}) as Record<string, JsonObject>)
  const texts = isLocalized(type)
    ? [
        { locale: defaultLocale, source: entry, given: base },
        ...others.map(([locale, source]) => ({
          locale,
          source,
          given: { ...base, ...attributesOf(source) },
        })),
      ]
    : [{ locale: null, source: entry, given: base }]
  return texts.flatMap(({ locale, source, given }): Version[] => {
    if (!hasDrafts(type)) return [{ locale, state: 'only', given }]
    const draft = { ...given, ...attributesOf((source['$draft'] ?? {}) as JsonObject), publishedAt: null }
    const status = source['$status'] ?? entry['$status']
    const drafts: Version = { locale, state: 'draft', given: draft }
    return status === 'draft' ? [drafts] : [drafts, { locale, state: 'published', given }]
  })
}

const sameState = (one: Row['state'], other: Row['state']): boolean =>
  one === 'only' || other === 'only' || one === other

interface Building {
  readonly types: ReadonlyMap<string, Definition>
  readonly defaultLocale: string
  readonly rows: Row[]
  readonly named: Map<string, readonly Row[]>
}

export const plainText = (value: Json | undefined): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value)

function typeAt({ types }: Building, uid: string): Definition {
  const found = types.get(uid)
  if (found === undefined) throw new Error(`the model has no ${uid}`)
  return found
}

/** Ids count up, type by type. */
function add({ rows }: Building, type: Definition, documentId: string, version: Version): Row {
  const id = rows.filter((row) => row.type === type).length + 1
  const row: Row = { type, id, documentId, ...version, links: new Map() }
  rows.push(row)
  return row
}

function enter(building: Building, type: Definition, entry: JsonObject): void {
  const versions = versionsOf(type, entry, building.defaultLocale)
  const rows = versions.map((version) => add(building, type, plainText(entry['documentId']), version))
  building.named.set(`${type.uid} ${plainText(entry['$ref'])}`, rows)
}

function linkRow(building: Building, row: Row): void {
  for (const [name, value] of Object.entries(row.given)) {
    const attribute = row.type.attributes[name]
    if (attribute === undefined || value === null) continue
    const values = (Array.isArray(value) ? value : [value]) as readonly Json[]
    for (const one of values) linkOne(building, row, name, attribute, one)
  }
}

function linkOne(building: Building, row: Row, name: string, attribute: Attribute, value: Json): void {
  if (attribute.type === 'component' || attribute.type === 'dynamiczone') {
    embed(building, row, name, attribute, value as JsonObject)
  } else if (attribute.type === 'media') {
    for (const target of targets(building, row, fileType.uid, plainText(value))) put(row, name, target)
  } else if (attribute.type === 'relation') relate(building, row, name, attribute, value)
}

function embed(building: Building, row: Row, name: string, attribute: Attribute, given: JsonObject): void {
  const uid = attribute.component ?? plainText(given['__component'])
  const { locale, state } = row
  put(row, name, add(building, typeAt(building, uid), '', { locale, state, given }))
}

function relate(building: Building, row: Row, name: string, attribute: Attribute, value: Json): void {
  const [uid, ref] =
    attribute.target === undefined
      ? (Object.entries(value as Record<string, string>)[0] ?? ['', ''])
      : [attribute.target, plainText(value)]
  const all = targets(building, row, uid, ref)
  // A row that holds the key itself can hold one: the published row, which comes last.
  const holdsKey = attribute.relation === 'morphToOne' || attribute.useJoinTable === false
  for (const target of holdsKey ? all.slice(-1) : all) {
    put(row, name, target)
    const back = attribute.inversedBy ?? attribute.mappedBy
    if (back !== undefined) put(target, back, row)
    if (attribute.relation === 'morphToOne') putMorph(target, row, name)
  }
}

function targets({ named, defaultLocale }: Building, from: Row, uid: string, ref: string): Row[] {
  const rows = named.get(`${uid} ${ref}`)
  if (rows === undefined) throw new Error(`no ${uid} is called ${ref}`)
  const locale = from.locale ?? defaultLocale
  return rows.filter((row) => (row.locale ?? locale) === locale && sameState(row.state, from.state))
}

function put(row: Row, name: string, target: Row): void {
  row.links.set(name, [...(row.links.get(name) ?? []), target])
}

/** Whatever has an attribute `morphBy` this one leads back; a morphToMany leads back only if it was written there. */
function putMorph(target: Row, row: Row, name: string): void {
  for (const [inverse, { morphBy, target: of }] of Object.entries(target.type.attributes)) {
    if (morphBy === name && of === row.type.uid) put(target, inverse, row)
  }
}

/** `content`: by uid, each entry with a `$ref` and a `documentId`. */
export function store(definitions: readonly Definition[], content: Content): Store {
  const types = new Map([...definitions, fileType].map((type) => [type.uid, type]))
  const [defaultLocale = 'en'] = (content['$locales'] ?? []) as readonly string[]
  const building: Building = { types, defaultLocale, rows: [], named: new Map() }
  for (const [uid, entries] of Object.entries(content)) {
    const type = types.get(uid)
    if (type !== undefined) for (const entry of entries as readonly JsonObject[]) enter(building, type, entry)
  }
  // The list of rows grows while it is walked: components come up behind what they belong to.
  for (const row of building.rows) linkRow(building, row)
  return { types, defaultLocale, rows: building.rows }
}
