/** What `content-router types` writes of each type: data alone, keyed by what stands for it in a URL, or else by its uid. */
export interface RegisteredType {
  readonly uid: string
  readonly kind: 'collection' | 'single' | 'part'
  /** What it may be asked by itself. */
  readonly reads: 'find' | 'findOne'
  /** Whether in the client's own words, or only by queries of the host's. */
  readonly asked: 'freely' | 'by name'
  readonly status: 'published' | 'draft'
  /** Whether an entry may be a draft, which may lack what is required. */
  readonly mayBeDraft: boolean
  readonly scalars: object
  /** Attributes that take no operators for texts, or none for values either. */
  readonly compares?: object
  readonly links?: object
  readonly unique: string
  readonly queries?: object
  /** What is asked where a query does not say. */
  readonly defaults?: object
}

/** Written so that an interface, which has no index, can be one. */
export type ContentRegistry<C> = { readonly [T in keyof C]: RegisteredType }

export type ScalarsOf<C extends ContentRegistry<C>, T extends keyof C> = C[T]['scalars']
// What a type has none of does not stand there. Each part is looked up by itself: compilers do that for every link of every
// query, and one type for all parts would make them look at its parameters, too.

export type LinksOf<C extends ContentRegistry<C>, T extends keyof C> = C[T] extends {
  readonly links: infer P
}
  ? P
  : object
export type ComparesOf<C extends ContentRegistry<C>, T extends keyof C> = C[T] extends {
  readonly compares: infer P
}
  ? P
  : object
export type QueriesOf<C extends ContentRegistry<C>, T extends keyof C> = C[T] extends {
  readonly queries: infer P
}
  ? P
  : object
export type DefaultsOf<C extends ContentRegistry<C>, T extends keyof C> = C[T] extends {
  readonly defaults: infer P
}
  ? P
  : object
export type ScalarName<C extends ContentRegistry<C>, T extends keyof C> = keyof ScalarsOf<C, T> & string
export type LinkName<C extends ContentRegistry<C>, T extends keyof C> = keyof LinksOf<C, T> & string

/** Leads to entries of one type. */
export interface ToOne<U> {
  readonly to: U
  readonly many: boolean
}

/** Leads to components, each of which says which it is. */
export interface ToZone<Z> {
  readonly zone: Z
  readonly unlisted: 'stub' | 'omit'
}

/** Leads to entries of any of these types, by their uids. */
export interface ToAny<M> {
  readonly any: M
  readonly many: boolean
}

/** In place of a name that is not there: the message of the compiler then tells those that are. */
export interface ThereAreOnly<Names> {
  readonly 'there are only': Names
}

/** In place of a value that does not fit. */
export interface ThisTakes<Values> {
  readonly 'this takes': Values
}

type Each<Names> = Names extends string ? { readonly is: Names } : never

/** The names one by one: of what has a name, compilers show that name in place of all that it holds. */
export type Listed<Table> = Each<keyof Table>['is']
