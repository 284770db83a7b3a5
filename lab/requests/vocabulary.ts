// What can be named in requests for some content types: worked out from their definitions alone, as a client would.
import type { ColumnType } from '../../lib/schema'

interface DefinedAttribute {
  readonly type: string
  readonly private?: boolean
  readonly target?: string
  readonly component?: string
  readonly components?: readonly string[]
  readonly relation?: string
  readonly repeatable?: boolean
  readonly multiple?: boolean
}

/** A definition as it is written in a file, with its name. */
export interface Defined {
  readonly uid: string
  /** Components have none. */
  readonly kind?: 'collectionType' | 'singleType'
  readonly pluginOptions?: { readonly i18n?: { readonly localized?: boolean } }
  readonly attributes: Readonly<Record<string, DefinedAttribute>>
}

export interface Scalar {
  readonly name: string
  readonly kind: ColumnType
}

export interface Link {
  readonly name: string
  readonly kind: string
  readonly many: boolean
  /** Undefined for what leads to entries of several types. */
  readonly to: KnownType | undefined
  /** Of a zone. */
  readonly elements: readonly string[]
}

export interface KnownType {
  readonly uid: string
  readonly isComponent: boolean
  readonly scalars: readonly Scalar[]
  readonly links: readonly Link[]
}

export type Vocabulary = ReadonlyMap<string, KnownType>

export const fileUid = 'plugin::upload.file'

const linkKinds = ['relation', 'media', 'component', 'dynamiczone']
const textKinds = ['string', 'text', 'richtext', 'email', 'uid', 'enumeration']

function columnType(type: string): ColumnType {
  if (textKinds.includes(type)) return 'string'
  return type === 'blocks' ? 'json' : (type as ColumnType)
}

/** The document ids of components are the database's own affair. */
const ofEntries: readonly Scalar[] = [
  { name: 'documentId', kind: 'string' },
  ...['createdAt', 'updatedAt', 'publishedAt'].map((name) => ({ name, kind: 'datetime' }) as const),
]

const isLocalized = ({ pluginOptions }: Defined): boolean => pluginOptions?.i18n?.localized === true

function scalarsOf(defined: Defined): readonly Scalar[] {
  const own = Object.entries(defined.attributes).filter(
    ([, { type, private: hidden }]) => !linkKinds.includes(type) && hidden !== true && type !== 'password',
  )
  return [
    { name: 'id', kind: 'id' },
    ...(defined.kind === undefined ? [] : ofEntries),
    ...own.map(([name, { type }]) => ({ name, kind: columnType(type) })),
    ...(isLocalized(defined) ? [{ name: 'locale', kind: 'string' } as const] : []),
  ]
}

function linkOf(name: string, attribute: DefinedAttribute, types: Vocabulary): Link {
  const { type: kind, target, component, relation = '', repeatable, multiple } = attribute
  const { components: elements = [] } = attribute
  const to = kind === 'media' ? fileUid : (target ?? component ?? '')
  const many = repeatable ?? multiple ?? (kind === 'dynamiczone' || relation.endsWith('Many'))
  return { name, kind, many, to: types.get(to), elements }
}

function linksOf(defined: Defined, types: Vocabulary): readonly Link[] {
  const own = Object.entries(defined.attributes).filter(([, { type }]) => linkKinds.includes(type))
  const all = own.map(([name, attribute]) => linkOf(name, attribute, types))
  const to = types.get(defined.uid)
  return isLocalized(defined)
    ? [...all, { name: 'localizations', kind: 'relation', many: true, to, elements: [] }]
    : all
}

/** By their uids, linked to each other. */
export function vocabularyOf(definitions: Iterable<Defined>): Vocabulary {
  const types = new Map<string, KnownType & { links: readonly Link[] }>()
  const all = [...definitions]
  for (const defined of all) {
    const { uid, kind } = defined
    types.set(uid, { uid, isComponent: kind === undefined, scalars: scalarsOf(defined), links: [] })
  }
  for (const defined of all) {
    const type = types.get(defined.uid)
    if (type !== undefined) type.links = linksOf(defined, types)
  }
  return types
}

export type Passable = Link & { readonly to: KnownType }

/** Those of its links that lead to one type, which conditions and sorts may go through. */
export const passable = (type: KnownType): readonly Passable[] =>
  type.links.filter((link): link is Passable => link.to !== undefined)
