import type { Attribute } from './attribute'
import type { ModelKind, Uid } from './model'

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
  readonly singularName: string
  readonly pluralName: string
  readonly draftAndPublish: boolean
  readonly localized: boolean
  /** Creator fields may be requested. */
  readonly showsCreators: boolean
  readonly builtIn: boolean
  readonly attributes: ReadonlyMap<string, Attribute>
  readonly privateNames: readonly string[]
  /** Names that the definition or the option makes private. Own attributes are marked already; built-in ones cannot be. */
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

export const isContentType = ({ kind }: Declared): boolean => kind !== 'component'

export const declaredAs = (all: Declarations, name: string): Declared | undefined => namedIn(all, name)
