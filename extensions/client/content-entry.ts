import type { FacetsMeta } from './group-value'
import type { Given } from './content-query'
import type {
  ContentRegistry,
  DefaultsOf,
  LinkName,
  LinksOf,
  QueriesOf,
  ScalarsOf,
  ToAny,
  ToOne,
  ToZone,
} from './content-registry'

type AlwaysAnswered = 'id' | 'documentId'

/** The type includes `undefined` if the query may leave it out. */
export type Said<Q, K> = K extends keyof Q ? Q[K] : undefined

/** Names known at run time only. */
type Perhaps<S> = Partial<S> & Pick<S, AlwaysAnswered & keyof S>

type NamedScalars<S, N> = string extends N
  ? Perhaps<S>
  : '*' extends N
    ? S
    : Pick<S, (N | AlwaysAnswered) & keyof S>

/** Each name may be missing from a list of unknown length. */
type ListedScalars<S, F> = F extends undefined
  ? S
  : F extends readonly unknown[]
    ? number extends F['length']
      ? Perhaps<S>
      : NamedScalars<S, F[number]>
    : NamedScalars<S, F>

type ShownScalars<S, F> = string extends F ? Perhaps<S> : ListedScalars<S, F>

/** Present even in incomplete drafts. */
type NeverMissing = AlwaysAnswered | 'createdAt' | 'updatedAt'

type OrNull<S> = { [K in keyof S]: K extends NeverMissing ? S[K] : S[K] | null }

type AnsweredScalars<C extends ContentRegistry<C>, T extends keyof C, F, Status> = Status extends 'draft'
  ? C[T]['mayBeDraft'] extends true
    ? OrNull<ShownScalars<ScalarsOf<C, T>, F>>
    : ShownScalars<ScalarsOf<C, T>, F>
  : ShownScalars<ScalarsOf<C, T>, F>

type PathHead<P> = P extends `${infer H}.${string}` ? H : P
type PathTail<P, K extends string> = P extends `${K}.${infer R}` ? R : never

type Refusal = false | 'false' | undefined

type Asks<V> = [V] extends [Refusal] ? 'no' : [Extract<V, Refusal>] extends [never] ? 'yes' : 'perhaps'

type NamesAsked<P, How> = { readonly [K in keyof P]-?: Asks<P[K]> extends How ? K : never }[keyof P]

/** The rest of a path, or the value at the name. */
type AskedAtLink<P, K extends string> = P extends string
  ? AskedBelow<PathTail<P, K>>
  : P extends readonly (infer N)[]
    ? AskedBelow<PathTail<N, K>>
    : K extends keyof P
      ? Exclude<P[K], Refusal>
      : true

type AskedBelow<R> = [R] extends [never] ? true : { readonly populate: readonly [R] }

type Wrapped<L, V> = L extends { readonly wrapped: true } ? { data: V } : V

/** Counted pages have `meta`. */
type TellsPage<P> = P extends { readonly withCount: true | 'estimated' }
  ? true
  : [Extract<Said<P, 'withCount'>, true | string>] extends [never]
    ? false
    : boolean

type ListOf<L, Q, V, Tells> = Tells extends true
  ? { data: V[]; meta: { pagination: PageMeta<Q> } }
  : Wrapped<L, V[]>

type OneOf<L, Q, V> = L extends { readonly many: true }
  ? ListOf<L, Q, V, TellsPage<Said<Q, 'pagination'>>>
  : Wrapped<L, V | null>

/** The query of the entry's type, else the common one. */
type AskedOn<Q, N> = Q extends { readonly on: infer On } ? Said<On, N> : Q

type ElementOf<C extends ContentRegistry<C>, Z extends keyof C, L, Q, Status> = Q extends Refusal
  ? L extends { readonly unlisted: 'stub' }
    ? { id: number; __component: Z }
    : never
  : Shown<AnsweredEntry<C, Z, Q, Status> & { __component: Z }>

type AnyElement<C extends ContentRegistry<C>, Z extends keyof C, L, Q, Status> = Z extends keyof C
  ? ElementOf<C, Z, L, AskedOn<Q, Z>, Status>
  : never

type OfType<C extends ContentRegistry<C>, T extends keyof C, N, Q, Status> = Q extends Refusal
  ? never
  : Shown<AnsweredEntry<C, T, Q, Status> & { __type: N }>

type AnyOf<C extends ContentRegistry<C>, M, Q, Status> = {
  [N in keyof M]: OfType<C, M[N] & keyof C, N, AskedOn<Q, N>, Status>
}[keyof M]

type EntriesBehind<C extends ContentRegistry<C>, L, Q, Status> =
  L extends ToOne<infer U extends keyof C>
    ? OneOf<L, Q, Shown<AnsweredEntry<C, U, Q, Status>>>
    : L extends ToZone<infer Z extends keyof C>
      ? AnyElement<C, Z, L, Q, Status>[]
      : L extends ToAny<infer M>
        ? OneOf<L, Q, AnyOf<C, M, Q, Status>>
        : never

type CountedOr<Count, Entries> = Count extends true | 'true' ? { count: number } : Entries

type Linked<C extends ContentRegistry<C>, L, Q, Status> = Q extends unknown
  ? CountedOr<Said<Q, 'count'>, EntriesBehind<C, L, Q, Status>>
  : never

type LinkedBy<C extends ContentRegistry<C>, T extends keyof C, P, Names, Status> =
  Pick<LinksOf<C, T>, Names & keyof LinksOf<C, T>> extends infer L
    ? { [K in keyof L]: Linked<C, NonNullable<L[K]>, AskedAtLink<P, K & string>, Status> }
    : never

type LinkedByTable<C extends ContentRegistry<C>, T extends keyof C, P, Status> = [
  Extract<P[keyof P], Refusal>,
] extends [never]
  ? LinkedBy<C, T, P, keyof P, Status>
  : LinkedBy<C, T, P, NamesAsked<P, 'yes'>, Status> &
      Partial<LinkedBy<C, T, P, NamesAsked<P, 'perhaps'>, Status>>

/** The links of unknown texts are unknown. */
type LinkedOf<C extends ContentRegistry<C>, T extends keyof C, P, Status> = P extends undefined
  ? unknown
  : P extends '*'
    ? LinkedBy<C, T, P, LinkName<C, T>, Status>
    : P extends string
      ? LinkedBy<C, T, P, PathHead<P>, Status>
      : P extends readonly (infer N)[]
        ? string extends N
          ? unknown
          : number extends P['length']
            ? Partial<LinkedBy<C, T, P, PathHead<N>, Status>>
            : LinkedBy<C, T, P, PathHead<N>, Status>
        : LinkedByTable<C, T, P, Status>

type Populated<C extends ContentRegistry<C>, T extends keyof C, P, Status> = string extends P
  ? unknown
  : LinkedOf<C, T, P, Status>

type AnsweredEntry<C extends ContentRegistry<C>, T extends keyof C, Q, Status> = AnsweredScalars<
  C,
  T,
  Said<Q, 'fields'>,
  Status
> &
  Populated<C, T, Said<Q, 'populate'>, Status>

/** Editors show the members, because `& unknown` drops the alias. */
export type Shown<E> = { [K in keyof E]: E[K] } & unknown

/** The query overrides the defaults. */
type Over<D, Q> = {
  readonly [K in keyof D | keyof Q]: K extends keyof Q
    ? undefined extends Q[K]
      ? Exclude<Q[K], undefined> | Said<D, K>
      : Q[K]
    : Said<D, K>
}

/** Queries of the host are in the registry. */
type Meant<C extends ContentRegistry<C>, T extends keyof C, Q> = Q extends { readonly query: infer N }
  ? N extends keyof QueriesOf<C, T>
    ? QueriesOf<C, T>[N] extends { readonly asks: infer A }
      ? Over<A, Omit<Q, 'query'>>
      : Q
    : Q
  : keyof DefaultsOf<C, T> extends never
    ? Q
    : Over<DefaultsOf<C, T>, Q>

type EntryOf<C extends ContentRegistry<C>, T extends keyof C, Q> = Q extends unknown
  ? Shown<AnsweredEntry<C, T, Q, Said<Q, 'status'>>>
  : never

/** The type of an entry in the response to the query `Q`. */
export type ContentEntry<C extends ContentRegistry<C>, T extends keyof C, Q> = EntryOf<C, T, Meant<C, T, Q>>

interface PageByNumber {
  page: number
  pageSize: number
  pageCount?: number
  total?: number
  estimated?: true
}

interface PageByOffset {
  start: number
  limit: number
  total?: number
  estimated?: true
}

interface PageByCursor {
  pageSize: number
  startCursor: string | null
  endCursor: string | null
  hasPreviousPage: boolean
  hasNextPage: boolean
  pageCount?: number
  total?: number
  estimated?: true
}

type Totals = 'pageCount' | 'total'

type CountedPage<M> = M extends unknown ? Shown<Omit<M, Totals> & Required<Pick<M, Totals & keyof M>>> : never

/** The type of `meta.pagination`, which depends on the pagination and `withCount` of the query. */
export type PageMeta<Q> = Q extends unknown ? PageSaidBy<Said<Q, 'pagination'>> : never

type PageSaidBy<P> = P extends { readonly withCount: true | 'true' | 'estimated' }
  ? CountedPage<PageBy<P>>
  : PageBy<P>

type PageBy<P> = P extends object
  ? [Given<P> & ('after' | 'before')] extends [never]
    ? PerhapsBy<P, 'after' | 'before', PageByCursor> | PageByPlace<P>
    : PageByCursor
  : PageByNumber

type PageByPlace<P> = [Given<P> & ('start' | 'limit')] extends [never]
  ? PerhapsBy<P, 'start' | 'limit', PageByOffset> | PageByNumber
  : PageByOffset

type PerhapsBy<P, Names, Meta> = [Extract<P[keyof P & Names], string | number>] extends [never] ? never : Meta

/** `meta.search` of a list with `_q`. The extension `search()` adds it for the types that it searches. */
type SearchMeta<Text> = [Extract<Text, string>] extends [never] ? unknown : { search?: FoundWords }

interface FoundWords {
  ignored: string[]
  /** By the `id` of the entry. */
  ranks?: Record<string, number>
  /** By the `id` of the entry, then by attribute. */
  highlights?: Record<string, Record<string, string>>
}

/** The response to a request for a list. */
export interface ListResponse<C extends ContentRegistry<C>, T extends keyof C, Q> {
  data: ContentEntry<C, T, Q>[]
  meta: Shown<
    { pagination: PageMeta<Meant<C, T, Q>> } & FacetsMeta<C, T, Said<Q, 'facets'>> & SearchMeta<Said<Q, '_q'>>
  >
}

/** The response to a request for one entry. */
export interface EntryResponse<C extends ContentRegistry<C>, T extends keyof C, Q> {
  data: ContentEntry<C, T, Q>
  meta: Record<string, never>
}
