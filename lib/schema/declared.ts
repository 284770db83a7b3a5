import type { Attribute } from './attribute'
import type { ModelKind, Uid } from './model'

/**
 * A definition as it is written in a file, or as it is handed over. Attributes carry what else Strapi's schema
 * files hold (`required`, `min`, `pluginOptions`…); it is not looked at.
 */
export interface Definition {
  /**
   * Only for a definition that comes from no file: `shared.seo` for a component; for a content type it may be left
   * out and is `api::article.article` after `info.singularName`.
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
    /** Hidden as attributes are that say so themselves. */
    readonly privateAttributes?: readonly string[]
    readonly [key: string]: unknown
  }
  readonly pluginOptions?: object
  readonly attributes: Readonly<Record<string, { readonly type: string; readonly [key: string]: unknown }>>
  readonly [key: string]: unknown
}

/** A definition that was found: the value as it was read, where, and what it is called after its place. */
export interface FoundDefinition {
  readonly where: string
  readonly uid: Uid
  readonly component: boolean
  readonly value: Readonly<Record<string, unknown>>
}

/** A definition after its own check, ready to be held against the others. What was at fault is empty here. */
export interface Declared {
  readonly where: string
  readonly uid: Uid
  readonly kind: ModelKind
  readonly collectionName: string
  readonly singularName: string
  readonly pluralName: string
  readonly draftAndPublish: boolean
  readonly localized: boolean
  /** Who wrote and who changed an entry may be asked for. */
  readonly showsCreators: boolean
  readonly builtIn: boolean
  readonly attributes: ReadonlyMap<string, Attribute>
  /** What the definition's own list makes private, as it is written. */
  readonly privateNames: readonly string[]
  /** What that list or the one for all types names. Own attributes say so themselves by now; those built in cannot. */
  readonly hidden: ReadonlySet<string>
  /** Named by the definition but not looked at further: at fault, or leading to a type that is not known here. */
  readonly aside: ReadonlySet<string>
  /** Relations that Strapi starts with and lets be populated, though none is ever in an answer. */
  readonly emptyRelations: readonly string[]
}

export type Declarations = ReadonlyMap<string, Declared>

/** By uid, or by the short name of a content type where it is no other's. */
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
