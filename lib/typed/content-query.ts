import type {
  ContentRegistry,
  LinkName,
  LinksOf,
  QueriesOf,
  ScalarName,
  ToAny,
  ToOne,
  ToZone,
} from './content-registry'
import type { ContentFilters } from './content-filters'

/** A name that the list holds, or any text, which is then checked by itself: so that editors offer what there is. */
type AmongNames<Name extends string> = Name | (string & Record<never, never>)

export type FieldList<C extends ContentRegistry<C>, T extends keyof C> =
  AmongNames<'*' | ScalarName<C, T>> | readonly AmongNames<'*' | ScalarName<C, T>>[]

type SortDirection = 'asc' | 'desc'

type SortKey<C extends ContentRegistry<C>, T extends keyof C> = AmongNames<
  ScalarName<C, T> | `${ScalarName<C, T>}:${SortDirection}`
>

export type SortList<C extends ContentRegistry<C>, T extends keyof C> =
  SortKey<C, T> | readonly SortKey<C, T>[]

/** By number, or by how many come before. */
interface NumberedPageAsked {
  readonly page?: number
  readonly pageSize?: number
  readonly start?: number
  readonly limit?: number
  readonly withCount?: boolean
}

/** Or by the cursor of the page that it follows or that follows it. */
export interface PageAsked extends NumberedPageAsked {
  readonly after?: string
  readonly before?: string
}

/** What is surely said, and not perhaps `undefined`. */
export type Given<P> = { readonly [K in keyof P]-?: undefined extends P[K] ? never : K }[keyof P]

/** What is asked of linked entries of one type. */
export interface LinkedQuery<C extends ContentRegistry<C>, U extends keyof C> {
  readonly fields?: FieldList<C, U>
  readonly populate?: ContentPopulate<C, U>
  readonly filters?: ContentFilters<C, U>
  readonly sort?: SortList<C, U>
  readonly count?: boolean
}

/** Where the host allows pages of linked entries. */
export interface PagedQuery<C extends ContentRegistry<C>, U extends keyof C> extends LinkedQuery<C, U> {
  readonly pagination?: NumberedPageAsked
}

/** What may be asked of one type that a link leads to. */
export type AskedOfLink<C extends ContentRegistry<C>, U extends keyof C, L> = L extends {
  readonly pages: true
}
  ? PagedQuery<C, U>
  : LinkedQuery<C, U>

type OnQuery<C extends ContentRegistry<C>, Z extends keyof C> = {
  readonly [N in Z]?: boolean | LinkedQuery<C, N>
}

type OnAny<C extends ContentRegistry<C>, M> = {
  readonly [N in keyof M]?: boolean | LinkedQuery<C, M[N] & keyof C>
}

/** Of several types, each is asked its own. */
interface AnyQuery<On> {
  readonly on?: On
  readonly count?: boolean
}

interface ZoneQuery<On> extends AnyQuery<On> {
  readonly populate?: '*'
}

type LinkQuery<C extends ContentRegistry<C>, L> =
  | boolean
  | (L extends ToOne<infer U extends keyof C>
      ? AskedOfLink<C, U, L>
      : L extends ToZone<infer Z extends keyof C>
        ? ZoneQuery<OnQuery<C, Z>>
        : L extends ToAny<infer M>
          ? AnyQuery<OnAny<C, M>>
          : never)

/** `'*'`, names, paths with dots, or for each name what is asked of it. */
export type ContentPopulate<C extends ContentRegistry<C>, T extends keyof C> =
  | '*'
  | AmongNames<LinkName<C, T>>
  | readonly AmongNames<LinkName<C, T>>[]
  | { readonly [K in keyof LinksOf<C, T>]?: LinkQuery<C, NonNullable<LinksOf<C, T>[K]>> }

/** What may be asked of one entry. */
export interface EntryQuery<C extends ContentRegistry<C>, T extends keyof C> {
  readonly fields?: FieldList<C, T>
  readonly populate?: ContentPopulate<C, T>
  readonly filters?: ContentFilters<C, T>
  readonly locale?: string
  readonly fallback?: string | readonly string[] | false
  readonly status?: C[T]['status']
}

type VersionFilter =
  | 'never-published'
  | 'never-published-document'
  | 'has-published-version'
  | 'has-published-version-document'
  | 'modified'
  | 'unmodified'
  | 'published-with-draft'
  | 'published-without-draft'

/** What may be asked of a list. */
export interface ContentQuery<C extends ContentRegistry<C>, T extends keyof C> extends Omit<
  EntryQuery<C, T>,
  'locale'
> {
  readonly locale?: string | readonly string[]
  readonly sort?: SortList<C, T>
  readonly pagination?: PageAsked
  readonly _q?: string
  readonly publicationFilter?: 'draft' extends C[T]['status'] ? VersionFilter : never
}

type Parameter = string | number | boolean | readonly (string | number)[]

type NamedParameters<N> = N extends {
  readonly parameters: infer P extends string
  readonly needs: infer R extends string
}
  ? { readonly [K in P]?: Parameter } & { readonly [K in R]: Parameter }
  : unknown

/** What may be said beside the name of a query of the host's own: what it declares, and which page and version. */
export type AskedByName<C extends ContentRegistry<C>, T extends keyof C, N> = {
  readonly query: N
  readonly pagination?: PageAsked
  readonly locale?: string | readonly string[]
  readonly fallback?: string | readonly string[] | false
  readonly status?: C[T]['status']
} & (N extends keyof QueriesOf<C, T> ? NamedParameters<QueriesOf<C, T>[N]> : unknown)

export type NamedQueryOf<C extends ContentRegistry<C>, T extends keyof C> = {
  readonly [N in keyof QueriesOf<C, T>]: AskedByName<C, T, N>
}[keyof QueriesOf<C, T>]
