import type { KeyType, ModelKind, ScalarType, StoredType, Uid } from './declared'
import type { CustomAttribute, CustomTypes } from './custom-fields'

export type { KeyType, ModelKind, Uid } from './declared'

/** Targets that rows can lead to. Files lead back only to types whose attributes write those rows. */
export const linkedTypes = ({ link, targets }: LinkField): readonly Uid[] =>
  link.via === 'mixed' && link.writtenBy !== undefined
    ? targets.filter((uid) => link.writtenBy?.some(({ type }) => type === uid))
    : targets

/** The models, and all that their links reach. */
export function reachableFrom(schema: Pick<Schema, 'models'>, models: Iterable<Model>): ReadonlySet<Model> {
  const reachable = new Set(models)
  // The set grows in the loop.
  for (const { links } of reachable) {
    for (const uid of [...links.values()].flatMap(({ targets }): readonly Uid[] => targets)) {
      const target = schema.models.get(uid)
      if (target !== undefined) reachable.add(target)
    }
  }
  return reachable
}

/** A column with a fixed value in all rows that count: `field = 'seo'`. */
export interface Fixed {
  readonly column: string
  readonly value: string
}

/**
 * One loader follows relations, media, components, zones and localizations. Each is one of these four.
 * `here`: our row holds the key, and the uid of the type. `there`: their row holds our key. `between`: a join table
 * holds both keys. `mixed`: a join table holds both keys and the uid of the type.
 */
export type Link = Here | There | Between | Mixed

export interface Here {
  readonly via: 'here'
  readonly key: string
  readonly type: string
  /** A key of a draft leads to the published version. */
  readonly toPublished?: true
}

export interface There {
  readonly via: 'there'
  /** The column of their table that refers to our key. */
  readonly theirs: string
  /** It refers to our document instead: rows of other locales. */
  readonly isOfDocument?: true
  readonly fixed: readonly Fixed[]
}

export interface Between {
  readonly via: 'between'
  readonly table: string
  readonly ours: string
  readonly theirs: string
  /** The editor's order; null if the table has none. */
  readonly order: string | null
  readonly fixed: readonly Fixed[]
}

export interface Mixed extends Omit<Between, 'via'> {
  readonly via: 'mixed'
  readonly type: string
  readonly order: string
  /** Attributes of the other side that write rows of the table. Rows of private or unknown attributes are hidden. */
  readonly writtenBy?: readonly WritingFields[]
}

export interface WritingFields {
  readonly type: string
  readonly fields: readonly string[]
}

/** Ids are 32-bit integers: PostgreSQL fails on larger ones. */
export const largestId = 2 ** 31 - 1

/** Years that all databases store and compare: PostgreSQL has no year 0, MySQL no year of five digits. */
const earliest = Date.parse('0001-01-01T00:00:00.000Z')
const latest = Date.parse('9999-12-31T23:59:59.999Z')

export const isInYears = (instant: number): boolean => instant >= earliest && instant <= latest

/** `2024-02-29` exists; Date takes the 30th for 1 March. */
export function isDay(text: string): boolean {
  const midnight = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(text)
}

/** `string` stands for every text type. */
export type ColumnType = 'id' | Exclude<StoredType, 'text'>

/** About how long a value is, for the limits of filters. */
export type Extent = 'line' | 'paragraph' | 'pages'

/** A scalar attribute. `private` attributes and passwords are in no model, so that no query can name them. */
export interface Column {
  readonly name: string
  readonly column: string
  readonly type: ColumnType
  /** Searched by `_q`: texts, without identifiers. */
  readonly searchable: boolean
  /** `"searchable": false` in the definition. */
  readonly unsearchable?: true
  readonly extent: Extent
  /** Unique, so that an entry can be requested by its value. */
  readonly identifies: boolean
  /** Of an existing table: the database may store other types under the same name. */
  readonly isExisting?: true
  /** A text that PostgreSQL stores as uuid. */
  readonly isUuid?: true
  /** A key of the rules that show it, if only some entries do. */
  readonly shownIn?: string
}

/**
 * A content type or component. `columns` and `links` hold the names that a client may use; `physical` all columns of
 * the tables.
 */
export interface Model {
  readonly uid: Uid
  readonly kind: ModelKind
  readonly singularName: string
  readonly pluralName: string
  readonly table: string
  readonly key: KeyOfRows
  /** The path segment; null for components and built-in types. */
  readonly route: string | null
  readonly draftAndPublish: boolean
  readonly localized: boolean
  /** Private, even where `loadingArtefacts` would show the empty locale. */
  readonly hidesLocale: boolean
  /** Files and creators: readable wherever they are linked, without a grant. */
  readonly open: boolean
  /** In the order of responses: id, documentId, own attributes, timestamps, locale. */
  readonly columns: ReadonlyMap<string, Column>
  readonly links: ReadonlyMap<string, LinkField>
  /** Public attributes, as in the definition. */
  readonly outlines: ReadonlyMap<string, AttributeOutline>
  /** Accepted in `populate`, as in Strapi, and in no response. */
  readonly emptyRelations: readonly string[]
  readonly physical: Physical
}

export interface ScalarOutline {
  readonly type: ScalarType
  /** Every published entry has a value. */
  readonly required: boolean
  /** The values of an enumeration, if they are a list of texts. */
  readonly values: readonly string[] | null
}

export type AttributeOutline =
  | ScalarOutline
  | { readonly type: 'media'; readonly multiple: boolean }
  | { readonly type: 'relation'; readonly relation: string; readonly targets: readonly Uid[] }
  | { readonly type: 'component'; readonly repeatable: boolean; readonly targets: readonly Uid[] }
  | { readonly type: 'dynamiczone'; readonly targets: readonly Uid[] }

export type LinkRole = 'relation' | 'media' | 'component' | 'zone' | 'morph' | 'localizations'

export interface LinkField {
  readonly name: string
  readonly role: LinkRole
  readonly many: boolean
  readonly link: Link
  /** One type, except for zones and morph relations. */
  readonly targets: readonly Uid[]
  readonly shownIn?: string
}

interface TableParts {
  readonly columns: readonly PhysicalColumn[]
  readonly indexes: readonly Index[]
  readonly foreignKeys: readonly ForeignKey[]
}

export interface JoinTable extends TableParts {
  readonly table: string
  /** The application made it: it is compared, and never changed. */
  readonly isExisting?: true
}

/** The model's own table, and the join tables that it owns. */
export interface Physical extends TableParts {
  readonly isExisting: boolean
  readonly joinTables: readonly JoinTable[]
  /** Private links, for `seed` and rules. */
  readonly hiddenLinks: ReadonlyMap<string, LinkField>
}

export type PhysicalType = StoredType | 'increments' | 'key' | 'order' | 'uuid'

export interface PhysicalColumn {
  readonly column: string
  readonly type: PhysicalType
  /** Absent for link keys and orders. */
  readonly attribute?: string
}

export interface Index {
  readonly name: string
  readonly columns: readonly string[]
  readonly unique: boolean
}

export interface ForeignKey {
  readonly name: string
  readonly column: string
  readonly table: string
  readonly onDelete: 'CASCADE' | 'SET NULL'
}

/** The column that links refer to. */
export interface KeyOfRows {
  readonly column: string
  readonly type: KeyType
}

/** All models of one router. */
export interface Schema {
  readonly models: ReadonlyMap<Uid, Model>
  /** The file of each type, or its place in the options. */
  readonly places: ReadonlyMap<Uid, string>
  /** Schemas of PostgreSQL that definitions name. */
  readonly schemas: readonly string[]
  /** False if a part of a definition is left out. */
  readonly isAsWritten: boolean
  /** Attributes of custom fields whose type is read from the database, or unknown. */
  readonly custom: readonly CustomAttribute[]
  /** The same definitions with the types of custom fields from the database. */
  readonly withTypes: (storedTypes: CustomTypes) => Schema
  /** The same types with nothing private, for rules of the host. */
  readonly whole: () => Schema
}

/** An attribute at the end of a path, with the links to it. */
export interface AttributeAt {
  readonly links: readonly { readonly field: LinkField; readonly target: Model }[]
  readonly model: Model
  readonly column: Column
}

/** Null if there is none. Zones and relations to several types have no attributes in common. */
export function attributeAt(
  { models }: Pick<Schema, 'models'>,
  own: Model,
  path: string,
): AttributeAt | null {
  const names = path.split('.')
  const last = names.pop() ?? ''
  const links: AttributeAt['links'][number][] = []
  for (const name of names) {
    const field = (links.at(-1)?.target ?? own).links.get(name)
    const [uid, ...others] = field?.targets ?? []
    const target = uid === undefined ? undefined : models.get(uid)
    if (field === undefined || target === undefined || others.length > 0) return null
    if (field.role === 'zone' || field.role === 'morph') return null
    links.push({ field, target })
  }
  const model = links.at(-1)?.target ?? own
  const column = model.columns.get(last)
  return column === undefined ? null : { links, model, column }
}
