/** Data of the server for the page: the types that the caller's role may read. */
export interface PageData {
  /** Mount path of the router in code samples. */
  readonly at: string
  readonly isBeside: boolean
  /** True if some responses may have `meta.explain`. */
  readonly explains: boolean
  readonly roles: readonly string[]
  readonly named: readonly string[]
  readonly types: readonly TypeData[]
  readonly examples: readonly Examples[]
}

export interface Examples {
  readonly title: string
  readonly queries: readonly Example[]
}

export interface Example {
  readonly title: string
  readonly query: string
  readonly role?: string
}

export interface TypeData {
  readonly uid: string
  readonly kind: 'collectionType' | 'singleType' | 'component'
  readonly path: string | null
  readonly reads: readonly ('find' | 'findOne')[]
  /** Paths of extensions below the list: `aggregate`. */
  readonly readings: readonly string[]
  /** The attributes of a ranked search. */
  readonly ranked: readonly string[]
  readonly hasDrafts: boolean
  readonly onlyByName: boolean
  readonly queries: readonly NamedQuery[]
  readonly localized: boolean
  readonly draftAndPublish: boolean
  readonly scalars: readonly ScalarData[]
  readonly links: readonly LinkData[]
}

export interface NamedQuery {
  readonly name: string
  readonly parameters: readonly string[]
}

export interface ScalarData {
  readonly name: string
  readonly type: string
  readonly operators: readonly string[]
  readonly values: readonly string[] | null
  readonly isUnique: boolean
  readonly isSorted: boolean
}

export interface LinkData {
  readonly name: string
  readonly role: 'relation' | 'media' | 'component' | 'zone' | 'morph' | 'localizations'
  readonly many: boolean
  readonly targets: readonly string[]
}

export type TypesByUid = ReadonlyMap<string, TypeData>

export const typesByUid = (types: readonly TypeData[]): TypesByUid =>
  new Map(types.map((type) => [type.uid, type]))

export const typeAt = (types: readonly TypeData[], path: string): TypeData | undefined =>
  types.find((type) => type.path === path)

export const targetsOf = (types: TypesByUid, { targets }: LinkData): readonly TypeData[] =>
  targets.flatMap((uid) => types.get(uid) ?? [])

/** Relations to one type, which conditions and orders can follow. */
export const throughLinks = ({ links }: TypeData): readonly LinkData[] =>
  links.filter(({ role, targets }) => role !== 'zone' && role !== 'morph' && targets.length === 1)

/** True if a query chooses the type of the target by `on`. */
export const isOfSeveral = ({ role, targets }: LinkData): boolean => role === 'zone' || targets.length > 1

export function titleOf({ scalars }: TypeData): string | null {
  const texts = scalars.filter(({ type }) => ['string', 'text', 'uid', 'email'].includes(type))
  const named = ['title', 'name', 'headline', 'label', 'slug'].map((name) =>
    texts.find((one) => one.name === name),
  )
  return (
    (named.find((one) => one !== undefined) ?? texts.find(({ name }) => name !== 'documentId'))?.name ?? null
  )
}
