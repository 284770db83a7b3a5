export type Uid = string & { readonly __uid: never }

export type ModelKind = 'collectionType' | 'singleType' | 'component'

export const scalarTypes = [
  ...(['string', 'text', 'richtext', 'enumeration', 'email', 'password', 'uid'] as const),
  ...(['date', 'time', 'datetime', 'timestamp'] as const),
  ...(['integer', 'biginteger', 'float', 'decimal'] as const),
  ...(['boolean', 'json', 'blocks', 'array'] as const),
] as const

export type ScalarType = (typeof scalarTypes)[number]

/** Types that are stored as another one. */
export const storedTypes = {
  ...({
    richtext: 'text',
    enumeration: 'string',
    email: 'string',
    uid: 'string',
    password: 'string',
  } as const),
  ...({ blocks: 'json', array: 'json' } as const),
} as const

export type StoredType = Exclude<ScalarType, keyof typeof storedTypes>

export const pairKinds = ['oneToOne', 'oneToMany', 'manyToOne', 'manyToMany'] as const
export const morphOwnerKinds = ['morphToOne', 'morphToMany'] as const
export const morphInverseKinds = ['morphOne', 'morphMany'] as const

interface Common {
  readonly private?: boolean
}

export interface ScalarAttribute extends Common {
  readonly type: ScalarType
  /** Unchecked: any value but `true` is ignored. */
  readonly unique?: unknown
  readonly required?: unknown
  readonly enum?: unknown
  readonly searchable?: unknown
  /** Of an existing table. */
  readonly columnName?: string
}

export interface MediaAttribute extends Common {
  readonly type: 'media'
  readonly multiple?: boolean
}

/** A relation between two types. It is two-way if one of `inversedBy` and `mappedBy` is set. */
export interface PairRelation extends Common {
  readonly type: 'relation'
  readonly relation: (typeof pairKinds)[number]
  readonly target: string
  readonly inversedBy?: string
  readonly mappedBy?: string
  /** `false`: the owner's own row holds the key. */
  readonly useJoinTable?: boolean
  /** Foreign key of an existing table. */
  readonly joinColumn?: ColumnReference & { readonly referencedColumn?: string }
  /** Existing join table. */
  readonly joinTable?: {
    readonly name: string
    readonly joinColumn: ColumnReference
    readonly inverseJoinColumn: ColumnReference
    readonly orderColumn?: ColumnReference
  }
}

interface ColumnReference {
  readonly name: string
}

export const keyTypes = ['integer', 'biginteger', 'string', 'uuid'] as const
export type KeyType = (typeof keyTypes)[number]

/** A `timestamp` has a time zone: TIMESTAMP of MySQL and MariaDB, `timestamptz` of PostgreSQL. */
export const timeTypes = ['datetime', 'timestamp'] as const
export type TimeType = (typeof timeTypes)[number]

export interface BuiltInColumn<Type> extends ColumnReference {
  readonly type: Type
}

/** Columns of the built-in attributes. */
export interface TableColumns {
  readonly id: BuiltInColumn<KeyType>
  /** Null: the id, as a string. */
  readonly documentId: BuiltInColumn<KeyType> | null
  readonly createdAt: BuiltInColumn<TimeType> | null
  readonly updatedAt: BuiltInColumn<TimeType> | null
}

/** A table that the application had before, so that `migrate` does not touch it. */
export interface ExistingTable extends TableColumns {
  readonly schema: string | null
}

/** Strapi's layout. */
const strapisColumns: TableColumns = {
  id: { name: 'id', type: 'integer' },
  documentId: { name: 'document_id', type: 'string' },
  createdAt: { name: 'created_at', type: 'datetime' },
  updatedAt: { name: 'updated_at', type: 'datetime' },
}

export const tableColumnsOf = ({ existing }: Declared): TableColumns => existing ?? strapisColumns

/** A relation to rows of any type. */
export interface MorphOwner extends Common {
  readonly type: 'relation'
  readonly relation: (typeof morphOwnerKinds)[number]
}

/** The inverse of a `morphBy` of the target. */
export interface MorphInverse extends Common {
  readonly type: 'relation'
  readonly relation: (typeof morphInverseKinds)[number]
  readonly target: string
  readonly morphBy: string
}

export type RelationAttribute = PairRelation | MorphOwner | MorphInverse

export interface ComponentAttribute extends Common {
  readonly type: 'component'
  readonly component: string
  readonly repeatable?: boolean
}

export interface ZoneAttribute extends Common {
  readonly type: 'dynamiczone'
  readonly components: readonly string[]
}

export type Attribute =
  ScalarAttribute | MediaAttribute | RelationAttribute | ComponentAttribute | ZoneAttribute

const among = <Word extends string>(words: readonly Word[], word: string): word is Word =>
  (words as readonly string[]).includes(word)

export const isText = (value: unknown): value is string => typeof value === 'string'

/** Passwords are always private. */
export const isHidden = (attribute: Attribute): boolean => attribute.private === true

export const isScalar = (attribute: Attribute): attribute is ScalarAttribute =>
  among(scalarTypes, attribute.type)

export const isRelation = (attribute: Attribute): attribute is RelationAttribute =>
  attribute.type === 'relation'

export const isPair = (attribute: Attribute): attribute is PairRelation =>
  isRelation(attribute) && among(pairKinds, attribute.relation)

export const isMorphOwner = (attribute: Attribute): attribute is MorphOwner =>
  isRelation(attribute) && among(morphOwnerKinds, attribute.relation)

export const isMorphInverse = (attribute: Attribute): attribute is MorphInverse =>
  isRelation(attribute) && among(morphInverseKinds, attribute.relation)

export const isOwner = (relation: PairRelation): boolean => relation.mappedBy === undefined

export const holdsKey = (relation: PairRelation): boolean =>
  isOwner(relation) && (relation.useJoinTable === false || relation.joinColumn !== undefined)

export const isToMany = ({ relation }: RelationAttribute): boolean => relation.endsWith('Many')

/** An attribute that Strapi accepts, and that cannot be served as written. */
export interface CostlyAttribute {
  readonly uid: Uid
  readonly attribute: string
  readonly problem: string
}

/** A JSON pointer into a definition. */
export const attributePointer = (name: string): string =>
  `/attributes/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`

/** A definition as in a file. Strapi's other keys (`required`, `min`, `pluginOptions`…) are allowed and ignored. */
export interface Definition {
  /**
   * Only for a definition without a file: `shared.seo` for a component. The default for a content type is
   * `api::article.article`, after `info.singularName`.
   */
  readonly uid?: string
  /** `collectionType` or `singleType`; absent for a component. */
  readonly kind?: string
  readonly collectionName: string
  readonly info?: {
    readonly singularName?: string
    readonly pluralName?: string
    readonly displayName?: string
    readonly [key: string]: unknown
  }
  readonly options?: {
    readonly draftAndPublish?: boolean
    readonly populateCreatorFields?: boolean
    /** Names of attributes that are private. */
    readonly privateAttributes?: readonly string[]
    readonly [key: string]: unknown
  }
  readonly pluginOptions?: object
  readonly attributes: Readonly<Record<string, { readonly type: string; readonly [key: string]: unknown }>>
  readonly [key: string]: unknown
}

export interface FoundDefinition {
  readonly where: string
  readonly uid: Uid
  readonly component: boolean
  readonly value: Readonly<Record<string, unknown>>
}

/** A definition after its own check. Faulty parts are empty. */
export interface Declared {
  readonly where: string
  readonly uid: Uid
  readonly kind: ModelKind
  readonly collectionName: string
  /** Null for tables in Strapi's layout. */
  readonly existing: ExistingTable | null
  readonly singularName: string
  readonly pluralName: string
  readonly draftAndPublish: boolean
  readonly localized: boolean
  /** Creator fields may be requested. */
  readonly showsCreators: boolean
  readonly builtIn: boolean
  readonly attributes: ReadonlyMap<string, Attribute>
  readonly privateNames: readonly string[]
  /** Names that the definition or the option makes private. Own attributes are marked already; built-in ones are not. */
  readonly hidden: ReadonlySet<string>
  /** Attributes left out: faulty, or to an unknown type. */
  readonly aside: ReadonlySet<string>
  /** Relations that Strapi accepts in `populate`, and that no response holds. */
  readonly emptyRelations: readonly string[]
}

/** Attributes of every content type that may be private. */
export const closingNames = [
  'createdAt',
  'updatedAt',
  'publishedAt',
  'locale',
  'localizations',
  'createdBy',
  'updatedBy',
]

export type Declarations = ReadonlyMap<string, Declared>

/** The short name counts only if it is unique. */
export function namedIn<Named extends Pick<Declared, 'uid' | 'singularName'>>(
  all: ReadonlyMap<string, Named>,
  name: string,
): Named | undefined {
  const found = all.get(name) ?? all.get(`api::${name}.${name}`)
  if (found !== undefined) return found
  const short = [...all.values()].filter(
    ({ uid, singularName }) => uid.startsWith('api::') && singularName === name,
  )
  return short.length === 1 ? short[0] : undefined
}

export const isComponent = (declared: Declared | undefined): boolean => declared?.kind === 'component'
