import type {
  ContentRegistry,
  DefaultsOf,
  LinkName,
  LinksOf,
  QueriesOf,
  ScalarName,
  ScalarsOf,
  ToAny,
  ToOne,
  ToZone,
} from './content-registry'

/** Shown with every entry. */
type AlwaysAnswered = 'id' | 'documentId'

type FieldNames<C extends ContentRegistry<C>, T extends keyof C, Q> = Q extends { readonly fields: infer F }
  ? F extends '*' | readonly ['*']
    ? ScalarName<C, T>
    : F extends readonly (infer N)[]
      ? N | (AlwaysAnswered & ScalarName<C, T>)
      : F | (AlwaysAnswered & ScalarName<C, T>)
  : ScalarName<C, T>

/** What a draft has even where it lacks what is required. */
type NeverMissing = AlwaysAnswered | 'createdAt' | 'updatedAt'

type OrNull<S> = { [K in keyof S]: K extends NeverMissing ? S[K] : S[K] | null }

type AnsweredScalars<C extends ContentRegistry<C>, T extends keyof C, Q, Status> =
  Pick<ScalarsOf<C, T>, FieldNames<C, T, Q> & keyof ScalarsOf<C, T>> extends infer S
    ? Status extends 'draft'
      ? C[T]['mayBeDraft'] extends true
        ? OrNull<S>
        : S
      : S
    : never

type PathHead<P> = P extends `${infer H}.${string}` ? H : P
type PathTail<P, K extends string> = P extends `${K}.${infer R}` ? R : never

type PopulatedKeys<P> = { readonly [K in keyof P]: P[K] extends false | 'false' ? never : K }[keyof P]

type PopulatedNames<C extends ContentRegistry<C>, T extends keyof C, P> = P extends '*'
  ? LinkName<C, T>
  : P extends string
    ? PathHead<P>
    : P extends readonly (infer N)[]
      ? PathHead<N extends '*' ? LinkName<C, T> : N>
      : PopulatedKeys<P>

/** What is asked of one of the names: what follows it in paths, or what stands at it. */
type AskedAtLink<P, K extends string> = P extends string
  ? AskedBelow<PathTail<P, K>>
  : P extends readonly (infer N)[]
    ? AskedBelow<PathTail<N, K>>
    : K extends keyof P
      ? P[K]
      : true

type AskedBelow<R> = [R] extends [never] ? true : { readonly populate: readonly R[] }

type Wrapped<L, V> = L extends { readonly wrapped: true } ? { data: V } : V

/** A page of linked entries says where it is, if it was asked to. */
type TellsPage<Q> = Q extends { readonly pagination: infer P }
  ? P extends { readonly withCount: true } | { readonly after: unknown } | { readonly before: unknown }
    ? true
    : false
  : false

type ListOf<L, Q, V> =
  TellsPage<Q> extends true ? { data: V[]; meta: { pagination: PageMeta<Q> } } : Wrapped<L, V[]>

type OneOf<L, Q, V> = L extends { readonly many: true } ? ListOf<L, Q, V> : Wrapped<L, V | null>

type AskedOn<Q, N> = Q extends { readonly on: infer On }
  ? N extends keyof On
    ? On[N] extends false
      ? 'unlisted'
      : On[N]
    : 'unlisted'
  : Q

type ElementOf<C extends ContentRegistry<C>, Z extends keyof C, L, Q, Status> = Z extends keyof C
  ? AskedOn<Q, Z> extends 'unlisted'
    ? L extends { readonly unlisted: 'stub' }
      ? { id: number; __component: Z }
      : never
    : Shown<AnsweredEntry<C, Z, AskedOn<Q, Z>, Status> & { __component: Z }>
  : never

type AnyOf<C extends ContentRegistry<C>, M, Q, Status> = {
  [N in keyof M]: AskedOn<Q, N> extends 'unlisted'
    ? never
    : Shown<AnsweredEntry<C, M[N] & keyof C, AskedOn<Q, N>, Status> & { __type: N }>
}[keyof M]

type Linked<C extends ContentRegistry<C>, L, Q, Status> = Q extends { readonly count: true | 'true' }
  ? { count: number }
  : L extends ToOne<infer U extends keyof C>
    ? OneOf<L, Q, Shown<AnsweredEntry<C, U, Q, Status>>>
    : L extends ToZone<infer Z extends keyof C>
      ? ElementOf<C, Z, L, Q, Status>[]
      : L extends ToAny<infer M>
        ? OneOf<L, Q, AnyOf<C, M, Q, Status>>
        : never

type LinkedOf<C extends ContentRegistry<C>, T extends keyof C, P, Status> =
  Pick<LinksOf<C, T>, PopulatedNames<C, T, P> & keyof LinksOf<C, T>> extends infer L
    ? { [K in keyof L]: Linked<C, NonNullable<L[K]>, AskedAtLink<P, K & string>, Status> }
    : never

type AnsweredEntry<C extends ContentRegistry<C>, T extends keyof C, Q, Status> = AnsweredScalars<
  C,
  T,
  Q,
  Status
> &
  (Q extends { readonly populate: infer P } ? LinkedOf<C, T, P, Status> : unknown)

/** One object, as it is read in an editor. */
type Shown<E> = { [K in keyof E]: E[K] }

type StatusOf<Q> = Q extends { readonly status: infer S } ? S : 'published'

/** What a query of the host's own asks is in the registry. */
type Meant<C extends ContentRegistry<C>, T extends keyof C, Q> = Q extends { readonly query: infer N }
  ? N extends keyof QueriesOf<C, T>
    ? QueriesOf<C, T>[N] extends { readonly asks: infer A }
      ? Omit<A, keyof Q> & Omit<Q, 'query'>
      : Q
    : Q
  : keyof DefaultsOf<C, T> extends never
    ? Q
    : Omit<DefaultsOf<C, T>, keyof Q> & Q

/** One entry of the answer to a query. */
export type ContentEntry<C extends ContentRegistry<C>, T extends keyof C, Q> = Shown<
  AnsweredEntry<C, T, Meant<C, T, Q>, StatusOf<Meant<C, T, Q>>>
>

interface PageByNumber {
  page: number
  pageSize: number
  pageCount?: number
  total?: number
}

interface PageByOffset {
  start: number
  limit: number
  total?: number
}

interface PageByCursor {
  pageSize: number
  startCursor: string | null
  endCursor: string | null
  hasPreviousPage: boolean
  hasNextPage: boolean
  total?: number
}

/** Where in a list a page is, in the words in which it was asked for. */
export type PageMeta<Q> = Q extends { readonly pagination: infer P }
  ? P extends { readonly after: unknown } | { readonly before: unknown }
    ? PageByCursor
    : P extends { readonly start: unknown } | { readonly limit: unknown }
      ? PageByOffset
      : PageByNumber
  : PageByNumber

export interface ListAnswer<C extends ContentRegistry<C>, T extends keyof C, Q> {
  data: ContentEntry<C, T, Q>[]
  meta: { pagination: PageMeta<Meant<C, T, Q>> }
}

export interface EntryAnswer<C extends ContentRegistry<C>, T extends keyof C, Q> {
  data: ContentEntry<C, T, Q>
  meta: Record<string, never>
}
