import type { PageMeta, Said, Shown } from './content-entry'
import type { ContentQuery, GroupCondition, GroupList, NumberedPageQuery } from './content-query'
import type { Collections, ContentRegistry, Listed, ThereAreOnly, ThisTakes } from './content-registry'
import type { GroupValue, NamesIn } from './group-value'
import type { Exact, Fitting, ValidGroups, ValidPart } from './valid-query'

interface FunctionsOf<C extends ContentRegistry<C>, T extends keyof C> {
  /** Counts the entries of each group. */
  readonly count?: true
  /** Counts the different values of attributes. */
  readonly countDistinct?: GroupList<C, T>
  /** Adds numbers. */
  readonly sum?: GroupList<C, T>
  /** Computes the average of numbers. */
  readonly avg?: GroupList<C, T>
  /** Returns the smallest value. */
  readonly min?: GroupList<C, T>
  /** Returns the largest value. */
  readonly max?: GroupList<C, T>
}

type EntrySelection = 'filters' | '_q' | 'locale' | 'fallback' | 'status' | 'publicationFilter'

/** The query of groups, with the extension `aggregates()`. */
export interface ContentAggregate<C extends ContentRegistry<C>, T extends keyof C> extends Pick<
  ContentQuery<C, T>,
  EntrySelection
> {
  /** Selects the functions of each group. */
  readonly aggregate: FunctionsOf<C, T>
  /** Lists the attributes that form groups, such as `author.name` or `publishedAt:month`. */
  readonly groupBy?: GroupList<C, T>
  /** Selects groups by conditions on the groups and functions of the query. */
  readonly having?: object
  /** Lists groups and functions of the query, such as `sum.views:desc`. */
  readonly sort?: string | readonly string[]
  /** Selects the page of groups. */
  readonly pagination?: NumberedPageQuery
}

type FunctionResults<C extends ContentRegistry<C>, T extends keyof C, A> = {
  -readonly [F in keyof A]: F extends 'count'
    ? number
    : {
        [P in NamesIn<A[F]>]: F extends 'countDistinct'
          ? number
          : F extends 'sum'
            ? number | string | null
            : F extends 'avg'
              ? number | null
              : GroupValue<C, T, P> | null
      }
}

/** A group with the results of its functions. An integer beyond 2^53 is a string. */
export type AggregateRow<C extends ContentRegistry<C>, T extends keyof C, Q> = Q extends unknown
  ? Shown<
      {
        group: { [P in NamesIn<Said<Q, 'groupBy'>>]: DraftValue<GroupValue<C, T, P>, Said<Q, 'status'>> }
      } & FunctionResults<C, T, Said<Q, 'aggregate'>>
    >
  : never

/** Drafts may lack required values. */
type DraftValue<V, Status> = 'draft' extends Status ? V | null : V

/** The response to a request for groups. */
export interface AggregateResponse<C extends ContentRegistry<C>, T extends keyof C, Q> {
  data: AggregateRow<C, T, Q>[]
  meta: { pagination: PageMeta<Q> }
}

type ConditionsOn<R> = {
  readonly [K in keyof R]?: R[K] extends object ? ConditionsOn<R[K]> : GroupCondition<R[K]>
}

type RowNames<R> = {
  [K in keyof R & string]: R[K] extends object
    ? `${K extends 'group' ? '' : `${K}.`}${keyof R[K] & string}`
    : K
}[keyof R & string]

type ValidSortOf<R, S> = S extends readonly unknown[]
  ? { readonly [I in keyof S]: ValidSortOf<R, S[I]> }
  : S extends RowNames<R> | `${RowNames<R>}:${'asc' | 'desc'}`
    ? S
    : string extends S
      ? S
      : Fitting<S, ThereAreOnly<RowNames<R>> | undefined>

type ValidFunctions<C extends ContentRegistry<C>, T extends keyof C, A> = A extends object
  ? {
      readonly [F in keyof A]: F extends keyof FunctionsOf<C, T>
        ? F extends 'count'
          ? Fitting<A[F], true>
          : ValidGroups<C, T, A[F], GroupList<C, T>>
        : ThereAreOnly<Listed<FunctionsOf<C, T>>>
    }
  : ThisTakes<FunctionsOf<C, T>>

type ValidAggregatePart<C extends ContentRegistry<C>, T extends keyof C, K, E, R> = K extends 'aggregate'
  ? ValidFunctions<C, T, E>
  : K extends 'groupBy'
    ? ValidGroups<C, T, E, GroupList<C, T> | undefined>
    : K extends 'having'
      ? Exact<E, ConditionsOn<Omit<R, 'group'>> & ConditionsOn<R['group' & keyof R]>>
      : K extends 'sort'
        ? ValidSortOf<R, E>
        : ValidPart<C, T, K, E, ContentAggregate<C, T>>

/** Checks a query of groups at compile time, as `ValidQuery` does for entries. */
export type ValidAggregate<C extends ContentRegistry<C>, T extends keyof C, Q> = [T] extends [never]
  ? unknown
  : Q extends { readonly aggregate: unknown }
    ? { readonly [K in keyof Q]: ValidAggregatePart<C, T, K, Q[K], AggregateRow<C, T, Q>> }
    : ContentAggregate<C, T>

/** Names of collections with groups. A role with named queries only has none. */
export type GroupedTypes<C extends ContentRegistry<C>> = {
  [T in Collections<C, 'find'>]: C[T]['asked'] extends 'freely' ? T : never
}[Collections<C, 'find'>]
