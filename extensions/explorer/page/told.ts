/** What the server tells the page: the types that the asking role may read. */
export interface Told {
  /** Where the router is mounted, as code has it. */
  readonly at: string
  readonly isBeside: boolean
  /** Whether answers may explain themselves to some. */
  readonly explains: boolean
  /** Whoever may be tried. */
  readonly roles: readonly string[]
  /** Those of them that are no role by themselves: the host has named them so. */
  readonly named: readonly string[]
  readonly types: readonly ToldType[]
  /** What the host offers to ask. */
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

export interface ToldType {
  readonly uid: string
  readonly kind: 'collectionType' | 'singleType' | 'component'
  /** Null where it is only shown with others. */
  readonly path: string | null
  readonly reads: readonly ('find' | 'findOne')[]
  readonly hasDrafts: boolean
  readonly onlyByName: boolean
  /** Those that the host has a name for. */
  readonly queries: readonly NamedQuery[]
  readonly localized: boolean
  readonly draftAndPublish: boolean
  readonly scalars: readonly ToldScalar[]
  readonly links: readonly ToldLink[]
}

export interface NamedQuery {
  readonly name: string
  readonly parameters: readonly string[]
}

export interface ToldScalar {
  readonly name: string
  readonly type: string
  readonly operators: readonly string[]
  readonly values: readonly string[] | null
  readonly isUnique: boolean
  readonly isSorted: boolean
}

export interface ToldLink {
  readonly name: string
  readonly role: 'relation' | 'media' | 'component' | 'zone' | 'morph' | 'localizations'
  readonly many: boolean
  readonly targets: readonly string[]
}

export type TypesByUid = ReadonlyMap<string, ToldType>

export const typesByUid = (types: readonly ToldType[]): TypesByUid =>
  new Map(types.map((type) => [type.uid, type]))

export const typeAt = (types: readonly ToldType[], path: string): ToldType | undefined =>
  types.find((type) => type.path === path)

export const targetsOf = (types: TypesByUid, { targets }: ToldLink): readonly ToldType[] =>
  targets.flatMap((uid) => types.get(uid) ?? [])

/** Of those that lead to one type alone, or are told apart by `on`. */
export const isOfSeveral = ({ role, targets }: ToldLink): boolean => role === 'zone' || targets.length > 1

/** What a person calls an entry by. */
export function titleOf({ scalars }: ToldType): string | null {
  const texts = scalars.filter(({ type }) => ['string', 'text', 'uid', 'email'].includes(type))
  const named = ['title', 'name', 'headline', 'label', 'slug'].map((name) =>
    texts.find((one) => one.name === name),
  )
  return (
    (named.find((one) => one !== undefined) ?? texts.find(({ name }) => name !== 'documentId'))?.name ?? null
  )
}
