export const scalarTypes = [
  'string',
  'text',
  'richtext',
  'enumeration',
  'email',
  'password',
  'uid',
  'date',
  'time',
  'datetime',
  'timestamp',
  'integer',
  'biginteger',
  'float',
  'decimal',
  'boolean',
  'json',
  'blocks',
  'array',
] as const

export type ScalarType = (typeof scalarTypes)[number]

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
}

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
  isOwner(relation) && relation.useJoinTable === false

export const isToMany = ({ relation }: RelationAttribute): boolean => relation.endsWith('Many')
