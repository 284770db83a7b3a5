/** Describes a type in the output of `content-router types`. The key is the path or the uid of the type. */
export interface RegisteredType {
  readonly uid: string
  readonly kind: 'collection' | 'single' | 'part'
  /** Lists the methods that can read the type. */
  readonly reads: 'find' | 'findOne'
  /** With `by name`, the role can only send named queries. */
  readonly asked: 'freely' | 'by name'
  readonly status: 'published' | 'draft'
  /** True if an entry may be a draft. Drafts may lack required values. */
  readonly mayBeDraft: boolean
  readonly scalars: object
  /** Lists attributes with fewer operators than a string. */
  readonly compares?: object
  readonly links?: object
  readonly unique: string
  readonly queries?: object
  /** Contains the default parameters of queries. */
  readonly defaults?: object
}

/** A mapped type accepts interfaces, which have no index signature. */
export type ContentRegistry<C> = { readonly [T in keyof C]: RegisteredType }

export type ScalarsOf<C extends ContentRegistry<C>, T extends keyof C> = C[T]['scalars']
// Absent parts are empty. Separate types are cheaper, because compilers look them up for every link of a query.

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

export interface ToOne<U> {
  readonly to: U
  readonly many: boolean
}

export interface ToZone<Z> {
  readonly zone: Z
  readonly unlisted: 'stub' | 'omit'
}

export interface ToAny<M> {
  readonly any: M
  readonly many: boolean
}

/** The type behind a relation or component. */
export type LinkedType<C extends ContentRegistry<C>, T extends keyof C, K> = K extends keyof LinksOf<C, T>
  ? NonNullable<LinksOf<C, T>[K]> extends ToOne<infer U extends keyof C>
    ? U
    : never
  : never

/** The compiler's message for an unknown name lists the known ones. */
export interface ThereAreOnly<Names> {
  readonly 'there are only': Names
}

/** The compiler's message for a wrong value. */
export interface ThisTakes<Values> {
  readonly 'this takes': Values
}

type Each<Names> = Names extends string ? { readonly is: Names } : never

/** Names alone: compilers show the name of a type in place of its members. */
export type Listed<Table> = Each<keyof Table>['is']

/** Names of collection types that the role may list, or whose entries it may request. */
export type Collections<C extends ContentRegistry<C>, Reads> = {
  [T in keyof C]: C[T] extends { readonly kind: 'collection'; readonly reads: infer R }
    ? Reads extends R
      ? T
      : never
    : never
}[keyof C]
