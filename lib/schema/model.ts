import type { ScalarType } from './attribute'
import type { CustomAttribute, CustomTypes } from './custom-fields'

/** The targets that rows can lead to: files lead back only to the types whose attributes write those rows. */
export const linkedTypes = ({ link, targets }: LinkField): readonly Uid[] =>
  link.via === 'mixed' && link.told !== undefined
    ? targets.filter((uid) => link.told?.some(({ type }) => type === uid))
    : targets

/** These types, and all that their links lead to, however far. */
export function ledToFrom(schema: Pick<Schema, 'models'>, models: Iterable<Model>): ReadonlySet<Model> {
  const ledTo = new Set(models)
  // Grows while it is walked.
  for (const { links } of ledTo) {
    for (const uid of [...links.values()].flatMap(({ targets }): readonly Uid[] => targets)) {
      const target = schema.models.get(uid)
      if (target !== undefined) ledTo.add(target)
    }
  }
  return ledTo
}

/** A column that must hold a fixed value for a row of the table to count: `field = 'seo'`. */
export interface Fixed {
  readonly column: string
  readonly value: string
}

/**
 * How a row reaches others. Relations, media, components, zones and localizations are all one of these four,
 * so one loader follows them all.
 *
 * - `here`: our row holds the key and, as it may lead to any type, the type's uid.
 * - `there`: their row holds our key.
 * - `between`: a join table holds both keys.
 * - `mixed`: a join table holds both keys and the uid of the type it leads to.
 */
export type Link = Here | There | Between | Mixed

export interface Here {
  readonly via: 'here'
  readonly key: string
  readonly type: string
  /** Where the key names a draft, it leads to the published version. */
  readonly toPublished?: true
}

export interface There {
  readonly via: 'there'
  /** The column of theirs that holds our key, and the column of ours that it holds. */
  readonly theirs: string
  readonly ours: 'id' | 'document_id'
  readonly fixed: readonly Fixed[]
}

export interface Between {
  readonly via: 'between'
  readonly table: string
  readonly ours: string
  readonly theirs: string
  /** The column that keeps the editor's order, where the table has one. */
  readonly order: string | null
  readonly fixed: readonly Fixed[]
}

export interface Mixed {
  readonly via: 'mixed'
  readonly table: string
  readonly ours: string
  readonly theirs: string
  readonly type: string
  readonly order: string
  readonly fixed: readonly Fixed[]
  /**
   * Whose rows of the table are told of, where attributes of the other side write them: what is private there, or names no
   * attribute, is not told of from this side either.
   */
  readonly told?: readonly ToldFields[]
}

/** Rows of a join table that belong to some attributes of one type. */
export interface ToldFields {
  readonly type: string
  readonly fields: readonly string[]
}

/** Of a row; PostgreSQL fails where one of more bits is asked for. */
export const largestId = 2 ** 31 - 1

/** `api::article.article`, `plugin::upload.file` or, for a component, `shared.seo`. */
export type Uid = string & { readonly __uid: never }

/** How a stored scalar is written in an answer. `string` stands for every text type. */
export type ColumnType =
  | 'id'
  | 'string'
  | 'integer'
  | 'biginteger'
  | 'float'
  | 'decimal'
  | 'boolean'
  | 'date'
  | 'time'
  | 'datetime'
  | 'timestamp'
  | 'json'

/** How much an attribute of its kind holds, as far as its definition tells: what it costs to look through it depends on that. */
export type Extent = 'line' | 'paragraph' | 'pages'

/** A scalar attribute. `private` and `password` ones are no columns of a model: nothing can name them. */
export interface Column {
  readonly name: string
  readonly column: string
  readonly type: ColumnType
  /** Searched by `_q`: the text types a person writes, not identifiers. */
  readonly searchable: boolean
  /** The definition says `"searchable": false`: no preset may search it. */
  readonly unsearchable?: true
  readonly extent: Extent
  /** No two entries are meant to have the same value, so that one may be asked for by it. */
  readonly identifies: boolean
  /** Where only some entries show it to whoever asks: a word for which. */
  readonly shownIn?: string
}

export type ModelKind = 'collectionType' | 'singleType' | 'component'

/**
 * A content type or component as the later rooms see it. `columns` and `links` hold what a client may name and
 * nothing else; what the tables need beyond that (private attributes, every physical column) is `physical`.
 */
export interface Model {
  readonly uid: Uid
  readonly kind: ModelKind
  readonly singularName: string
  readonly pluralName: string
  readonly table: string
  /** The path segment it is served under; null for components and built-in types. */
  readonly route: string | null
  readonly draftAndPublish: boolean
  readonly localized: boolean
  /** Private even where Strapi's way of loading would show the empty locale of what is not localized. */
  readonly hidesLocale: boolean
  /** Files, and admin users where a type shows its creators: readable wherever they are linked, without a grant of their own. */
  readonly open: boolean
  /** In the order in which they are answered: id, documentId, own attributes, timestamps, locale. */
  readonly columns: ReadonlyMap<string, Column>
  readonly links: ReadonlyMap<string, LinkField>
  /** Own attributes that a client may name, as the definition has them. */
  readonly outlines: ReadonlyMap<string, AttributeOutline>
  /** May be populated, as Strapi lets them be, and are in no answer. */
  readonly emptyRelations: readonly string[]
  readonly physical: Physical
}

export interface ScalarOutline {
  readonly type: ScalarType
  /** No entry that is published is without it. */
  readonly required: boolean
  /** What there is to choose from; null where it is not a list of texts. */
  readonly values: readonly string[] | null
}

/** What an attribute is, in the words of its definition. */
export type AttributeOutline =
  | ScalarOutline
  | { readonly type: 'media'; readonly multiple: boolean }
  | { readonly type: 'relation'; readonly relation: string; readonly targets: readonly Uid[] }
  | { readonly type: 'component'; readonly repeatable: boolean; readonly targets: readonly Uid[] }
  | { readonly type: 'dynamiczone'; readonly targets: readonly Uid[] }

export type LinkRole = 'relation' | 'media' | 'component' | 'zone' | 'morph' | 'localizations'

/** An attribute that leads to other rows. */
export interface LinkField {
  readonly name: string
  readonly role: LinkRole
  readonly many: boolean
  /** A list whose entries are in many other lists, too: there are several links for each entry. */
  readonly shared: boolean
  readonly link: Link
  /** The types it can lead to; one, except for zones and for relations to any type. */
  readonly targets: readonly Uid[]
  readonly shownIn?: string
}

/** What `migrate` makes and `ready` expects of the model's own table and of the join tables that it owns. */
export interface Physical {
  readonly columns: readonly PhysicalColumn[]
  readonly indexes: readonly Index[]
  /** Without those to `admin_users`, a table that Strapi has and others lack. */
  readonly foreignKeys: readonly ForeignKey[]
  readonly joinTables: readonly JoinTable[]
  /** Private attributes that lead to other rows. Nothing that a client asks may name them. */
  readonly hiddenLinks: ReadonlyMap<string, LinkField>
}

export type PhysicalType = Exclude<ColumnType, 'id'> | 'increments' | 'text' | 'key' | 'order'

export interface PhysicalColumn {
  readonly column: string
  readonly type: PhysicalType
  /** The attribute it stores; absent for columns that no attribute names (link keys, order). */
  readonly attribute?: string
}

export interface JoinTable {
  readonly table: string
  readonly columns: readonly PhysicalColumn[]
  readonly indexes: readonly Index[]
  readonly foreignKeys: readonly ForeignKey[]
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

/** Every model of one router, frozen. */
export interface Schema {
  readonly models: ReadonlyMap<Uid, Model>
  /** The file of each type, or what else it was found by. */
  readonly places: ReadonlyMap<Uid, string>
  /** False if anything is left out, as it cannot be served as it is written. */
  readonly isAsWritten: boolean
  /** Attributes of custom fields that only the database knows all about, and those of which the type is unknown. */
  readonly custom: readonly CustomAttribute[]
  /** The same definitions with what the database tells of custom fields. */
  readonly withTypes: (told: CustomTypes) => Schema
  /** The same types with nothing private, for conditions of the host's own. */
  readonly whole: () => Schema
}
