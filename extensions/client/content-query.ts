import type { OperatorTable } from '../../lib/operators'
import type {
  ContentRegistry,
  LinkName,
  LinksOf,
  QueriesOf,
  ScalarName,
  ToAny,
  ToOne,
  ToZone,
  ComparesOf,
  ScalarsOf,
} from './content-registry'

/** Editors offer the names; other texts are checked later. */
type AmongNames<Name extends string> = Name | (string & Record<never, never>)

export type FieldList<C extends ContentRegistry<C>, T extends keyof C> =
  AmongNames<'*' | ScalarName<C, T>> | readonly AmongNames<'*' | ScalarName<C, T>>[]

type SortDirection = 'asc' | 'desc'

type SortKey<C extends ContentRegistry<C>, T extends keyof C> = AmongNames<
  ScalarName<C, T> | `${ScalarName<C, T>}:${SortDirection}`
>

export type SortList<C extends ContentRegistry<C>, T extends keyof C> =
  SortKey<C, T> | readonly SortKey<C, T>[]

type GroupName<C extends ContentRegistry<C>, T extends keyof C> = AmongNames<
  ScalarName<C, T> | LinkName<C, T>
>

/** Attributes and relations, paths with dots, and parts of dates. */
export type GroupList<C extends ContentRegistry<C>, T extends keyof C> =
  GroupName<C, T> | readonly GroupName<C, T>[]

type SearchedNames<C extends ContentRegistry<C>, T extends keyof C> =
  ScalarName<C, T> | readonly ScalarName<C, T>[]

/** Selects a page by number or by offset. */
export interface NumberedPageQuery {
  /** Sets the number of the page, from 1. */
  readonly page?: number
  /** Sets the number of entries on a page. */
  readonly pageSize?: number
  /** Sets the number of entries to skip. */
  readonly start?: number
  /** Sets the number of entries to return. */
  readonly limit?: number
  /** Adds the total to `meta.pagination`. With `estimated`, the database estimates totals above 10,000. */
  readonly withCount?: boolean | 'estimated'
}

/** Selects a page by number, by offset or by cursor. */
export interface PageQuery extends NumberedPageQuery {
  /** Sets the cursor of the last entry before the page. An empty string selects the first page. */
  readonly after?: string
  /** Sets the cursor of the first entry after the page. An empty string selects the last page. */
  readonly before?: string
}

/** Keys that cannot be `undefined`. */
export type Given<P> = { readonly [K in keyof P]-?: undefined extends P[K] ? never : K }[keyof P]

/** The query of a relation to one type. */
export interface LinkedQuery<C extends ContentRegistry<C>, U extends keyof C> {
  readonly fields?: FieldList<C, U>
  readonly populate?: ContentPopulate<C, U>
  readonly filters?: ContentFilters<C, U>
  readonly sort?: SortList<C, U>
  readonly count?: boolean
}

/** The query of a relation if the server has the option `nestedPagination`. */
export interface PagedQuery<C extends ContentRegistry<C>, U extends keyof C> extends LinkedQuery<C, U> {
  readonly pagination?: NumberedPageQuery
}

export type QueryOfLink<C extends ContentRegistry<C>, U extends keyof C, L> = L extends {
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
      ? QueryOfLink<C, U, L>
      : L extends ToZone<infer Z extends keyof C>
        ? ZoneQuery<OnQuery<C, Z>>
        : L extends ToAny<infer M>
          ? AnyQuery<OnAny<C, M>>
          : never)

/** Selects relations: `'*'`, names, paths with dots, or an object with a query for each name. */
export type ContentPopulate<C extends ContentRegistry<C>, T extends keyof C> =
  | '*'
  | AmongNames<LinkName<C, T>>
  | readonly AmongNames<LinkName<C, T>>[]
  | { readonly [K in keyof LinksOf<C, T>]?: LinkQuery<C, NonNullable<LinksOf<C, T>[K]>> }

/** The query of a request for one entry. */
export interface EntryQuery<C extends ContentRegistry<C>, T extends keyof C> {
  /** Selects the attributes to return. */
  readonly fields?: FieldList<C, T>
  /** Selects the relations to return. */
  readonly populate?: ContentPopulate<C, T>
  /** Selects entries by conditions. */
  readonly filters?: ContentFilters<C, T>
  /** Selects the locale. */
  readonly locale?: string
  /** Lists locales to use if the document lacks the requested locale. `false` turns the fallback off. */
  readonly fallback?: string | readonly string[] | false
  /** Selects published or draft versions. */
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

/** The query of a request for a list. */
export interface ContentQuery<C extends ContentRegistry<C>, T extends keyof C> extends Omit<
  EntryQuery<C, T>,
  'locale'
> {
  /** Selects one or several locales. An asterisk selects all locales. */
  readonly locale?: string | readonly string[]
  /** Lists the sort keys, such as `title` or `title:desc`. `_rank` sorts by the points of a search with `search()`. */
  readonly sort?: SortList<C, T> | '_rank'
  /** Selects the page. */
  readonly pagination?: PageQuery
  /** Searches for a text in the strings of entries. With the extension `search()`, `_q` searches for words. */
  readonly _q?: string
  /** Marks the found words in these attributes, with the extension `search()`. */
  readonly highlight?: SearchedNames<C, T>
  /** Adds the points of each entry to `meta.search`, with the extension `search()`. */
  readonly ranks?: true
  /** Counts the most frequent values, with the extension `aggregates()`. */
  readonly facets?: GroupList<C, T>
  /** Selects entries by their draft and published versions. */
  readonly publicationFilter?: 'draft' extends C[T]['status'] ? VersionFilter : never
}

type Parameter = string | number | boolean | readonly (string | number)[]

type NamedParameters<N> = N extends {
  readonly parameters: infer P extends string
  readonly needs: infer R extends string
}
  ? { readonly [K in P]?: Parameter } & { readonly [K in R]: Parameter }
  : unknown

/** Contains the name of a named query, and the parameters of the named query. */
export type NamedQueryParameters<C extends ContentRegistry<C>, T extends keyof C, N> = {
  readonly query: N
  readonly pagination?: PageQuery
  readonly locale?: string | readonly string[]
  readonly fallback?: string | readonly string[] | false
  readonly status?: C[T]['status']
} & (N extends keyof QueriesOf<C, T> ? NamedParameters<QueriesOf<C, T>[N]> : unknown)

export type NamedQueryOf<C extends ContentRegistry<C>, T extends keyof C> = {
  readonly [N in keyof QueriesOf<C, T>]: NamedQueryParameters<C, T, N>
}[keyof QueriesOf<C, T>]

/** Number of values of an operator; null may be one of them. */
type OperandOf<Entry, V, OrNull> = Entry extends { readonly takes: 'two' }
  ? readonly [from: V, to: V]
  : Entry extends { readonly takes: 'any number' }
    ? readonly V[]
    : Entry extends { readonly test: { readonly ignoreCase: false } }
      ? V | OrNull
      : V

/** The operators with such entries in the table. */
type OperatorsLike<Like, V, OrNull = never> = {
  readonly [K in keyof OperatorTable as OperatorTable[K] extends Like ? K : never]?: OperandOf<
    OperatorTable[K],
    V,
    OrNull
  >
}

type Presence = OperatorsLike<{ readonly value: 'truth' }, boolean>
type ByValue<V> = OperatorsLike<{ readonly value: 'own' }, V, null> & Presence
/** A condition on a value of groups. */
export type GroupCondition<V> = OperatorsLike<{ readonly value: 'own' }, AskableValue<NonNullable<V>>> &
  Presence
type ByText<V> = OperatorsLike<{ readonly value: 'text' }, string> & ByValue<V>
type BySuperset = OperatorsLike<{ readonly value: 'json' }, string> & ByText<string>

/** The type of an entry is never null. */
type ByTag<V> = OperatorsLike<
  { readonly test: { readonly is: 'within' } | { readonly is: 'equal'; readonly ignoreCase: false } },
  V
>

/** Numbers may be strings, because they may be too large. */
type AskableValue<V> = V extends string
  ? V
  : V extends number
    ? V | `${number}`
    : V extends boolean
      ? V
      : string

/** Responses have dates and instants as strings. */
type OrDate<V> = V | Date

interface Operators<V> {
  readonly presence: Presence
  readonly value: ByValue<V>
  readonly day: ByValue<OrDate<V>>
  readonly instant: ByText<OrDate<V>>
  readonly text: ByText<V>
  readonly tag: ByTag<V>
  readonly superset: BySuperset
}

type ComparisonKind = keyof Operators<never>

/** The comparison of the attribute `K`; the default is that of a text. */
export type ComparedAs<C extends ContentRegistry<C>, T extends keyof C, K> = K extends keyof ComparesOf<C, T>
  ? ComparesOf<C, T>[K] & ComparisonKind
  : 'text'

type OperatorsOf<V, As extends ComparisonKind> = Operators<AskableValue<NonNullable<V>>>[As]

type ComparableValue<V, As> = As extends 'day' | 'instant' ? OrDate<V> : V

/** A plain value is `$eq`, a list `$in`. */
type PlainValue<V, As> = As extends 'presence'
  ? null
  : As extends 'tag'
    ? V | readonly V[]
    : ComparableValue<AskableValue<NonNullable<V>>, As> extends infer W
      ? W | readonly W[] | null
      : never

type AttributeFilter<V, As extends ComparisonKind> =
  PlainValue<V, As> | (OperatorsOf<V, As> & { readonly $not?: OperatorsOf<V, As> })

type Junction = '$and' | '$or' | '$not'

/** Conditions on linked entries: one, none, each, and their count. */
interface WhichOfSeveral<F> {
  readonly $some?: F
  readonly $none?: F
  readonly $every?: F
  readonly $count?: AttributeFilter<number, 'text'>
}

/** Links to one type can be tested for null. */
interface WhichOf<F> extends Presence, WhichOfSeveral<F> {}

interface ElementFilters<C extends ContentRegistry<C>, Z extends keyof C> {
  readonly __component?: AttributeFilter<Z & string, 'tag'>
  readonly on?: { readonly [N in Z]?: ContentFilters<C, N> }
}

interface AnyFilters<C extends ContentRegistry<C>, M> {
  readonly __type?: AttributeFilter<keyof M & string, 'tag'>
  readonly on?: { readonly [N in keyof M]?: ContentFilters<C, M[N] & keyof C> }
}

type LinkFilters<C extends ContentRegistry<C>, L> =
  L extends ToOne<infer U extends keyof C>
    ? ContentFilters<C, U> & WhichOf<ContentFilters<C, U>>
    : L extends ToZone<infer Z extends keyof C>
      ? WhichOfSeveral<ElementFilters<C, Z>>
      : L extends ToAny<infer M>
        ? WhichOfSeveral<AnyFilters<C, M>>
        : never

/** Filters for entries of a type, nested to any depth. */
export type ContentFilters<C extends ContentRegistry<C>, T extends keyof C> = {
  readonly [K in Junction | keyof ScalarsOf<C, T> | keyof LinksOf<C, T>]?: K extends '$and' | '$or'
    ? readonly ContentFilters<C, T>[]
    : K extends '$not'
      ? ContentFilters<C, T>
      : K extends keyof ScalarsOf<C, T>
        ? AttributeFilter<ScalarsOf<C, T>[K], ComparedAs<C, T, K>>
        : K extends keyof LinksOf<C, T>
          ? LinkFilters<C, NonNullable<LinksOf<C, T>[K]>>
          : never
}
