import type {
  ContentRegistry,
  LinkedType,
  LinksOf,
  Listed,
  QueriesOf,
  ScalarsOf,
  ThereAreOnly,
  ThisTakes,
  ToAny,
  ToOne,
  ToZone,
} from './content-registry'
import type { ValidGroup } from './group-value'
import type {
  NamedQueryParameters,
  QueryOfLink,
  ContentPopulate,
  ContentQuery,
  FieldList,
  LinkedQuery,
  NamedQueryOf,
  SortList,
  Given,
  ComparedAs,
  ContentFilters,
} from './content-query'

// The inferred query type would accept extra names. So each part is mapped to itself if it is valid, else to its
// valid form.

/**
 * Strings and lists known at run time only are accepted. A union of names is rejected, because the response type would
 * be unknown.
 */
type OneName<N, Valid, Any = N> = string extends N
  ? N
  : N extends unknown
    ? [Any] extends [N]
      ? Valid
      : ThisTakes<'one name'>
    : never

type ValidField<C extends ContentRegistry<C>, T extends keyof C, F> = F extends keyof ScalarsOf<C, T> | '*'
  ? F
  : ThereAreOnly<Listed<ScalarsOf<C, T>>>

type ValidFields<C extends ContentRegistry<C>, T extends keyof C, F> = F extends string
  ? OneName<F, ValidField<C, T, F>>
  : F extends readonly unknown[]
    ? number extends F['length']
      ? { readonly [I in keyof F]: string extends F[I] ? F[I] : ValidField<C, T, F[I]> }
      : { readonly [I in keyof F]: OneName<F[I], ValidField<C, T, F[I]>> }
    : Fitting<F, FieldList<C, T> | undefined>

/** `Rest`: the part of the path that is not checked yet. */
type ValidPath<
  C extends ContentRegistry<C>,
  T extends keyof C,
  P,
  Rest = P,
> = Rest extends `${infer H}.${infer R}`
  ? [LinkedType<C, T, H>] extends [never]
    ? ThereAreOnly<Listed<LinksOf<C, T>>>
    : ValidPath<C, LinkedType<C, T, H>, P, R>
  : Rest extends keyof LinksOf<C, T>
    ? P
    : string extends Rest
      ? P
      : ThereAreOnly<Listed<LinksOf<C, T>>>

type Undirected<Path> = Path extends `${infer Name}:asc` | `${infer Name}:desc` ? Name : Path

/** Databases order JSON differently. */
type SortableScalars<C extends ContentRegistry<C>, T extends keyof C> = {
  readonly [K in keyof ScalarsOf<C, T> as ComparedAs<C, T, K> extends 'presence' ? never : K]: unknown
}

/** The path ends in a scalar or in `$count`. */
type ValidSortPath<
  C extends ContentRegistry<C>,
  T extends keyof C,
  P,
  Rest = P,
> = Rest extends `${infer H}.${infer R}`
  ? H extends keyof LinksOf<C, T>
    ? Undirected<R> extends '$count'
      ? P
      : [LinkedType<C, T, H>] extends [never]
        ? ThereAreOnly<'$count'>
        : ValidSortPath<C, LinkedType<C, T, H>, P, R>
    : ThereAreOnly<Listed<LinksOf<C, T>>>
  : Undirected<Rest> extends keyof ScalarsOf<C, T>
    ? ComparedAs<C, T, Undirected<Rest>> extends 'presence'
      ? ThereAreOnly<Listed<SortableScalars<C, T>>>
      : P
    : string extends Rest
      ? P
      : ThereAreOnly<Listed<SortableScalars<C, T>>>

type ValidSortKey<C extends ContentRegistry<C>, T extends keyof C, S, Others> = S extends Others
  ? S
  : ValidSortPath<C, T, S>

type ValidSort<C extends ContentRegistry<C>, T extends keyof C, S, Others> = S extends string
  ? ValidSortKey<C, T, S, Others>
  : S extends readonly unknown[]
    ? { readonly [I in keyof S]: ValidSortKey<C, T, S[I], Others> }
    : Fitting<S, SortList<C, T> | undefined>

type ValidOn<C extends ContentRegistry<C>, M, On> = keyof On extends never
  ? ThereAreOnly<Listed<M>>
  : {
      readonly [N in keyof On]: N extends keyof M
        ? ValidLinked<C, M[N] & keyof C, On[N]>
        : ThereAreOnly<Listed<M>>
    }

type ValidSeveral<C extends ContentRegistry<C>, M, E, Parts extends 'on' | 'populate' | 'count'> = {
  readonly [K in keyof E]: K extends Parts
    ? K extends 'on'
      ? ValidOn<C, M, E[K]>
      : Fitting<E[K], K extends 'populate' ? '*' : boolean>
    : ThereAreOnly<Parts>
}

type ValidLink<C extends ContentRegistry<C>, L, E> = E extends object
  ? L extends ToOne<infer U extends keyof C>
    ? ValidParts<C, U, E, QueryOfLink<C, U, L>>
    : L extends ToZone<infer Z extends keyof C>
      ? ValidSeveral<C, { readonly [N in Z]: N }, E, 'on' | 'populate' | 'count'>
      : L extends ToAny<infer M>
        ? ValidSeveral<C, M, E, 'on' | 'count'>
        : E
  : Fitting<E, boolean | undefined>

type ValidLinked<C extends ContentRegistry<C>, U extends keyof C, E> = E extends object
  ? ValidParts<C, U, E, LinkedQuery<C, U>>
  : Fitting<E, boolean | undefined>

/** A later, shorter path replaces a longer one. */
type CutShort<P> = P extends readonly [infer First, ...infer Others]
  ? Extract<Others[number], Beginning<First>> | CutShort<Others>
  : never
type Beginning<Path, Before extends string = ''> = Path extends `${infer H}.${infer R}`
  ? `${Before}${H}` | Beginning<R, `${Before}${H}.`>
  : never

type ValidPathAmong<C extends ContentRegistry<C>, T extends keyof C, P, Cut> = P extends Cut
  ? ThisTakes<'a place before the paths that go on from it'>
  : ValidPath<C, T, P>

type ValidPaths<C extends ContentRegistry<C>, T extends keyof C, P, Cut> = {
  readonly [I in keyof P]: OneName<P[I], ValidPathAmong<C, T, P[I], Cut>>
}

/** The full type of `populate`, with its star, is accepted as it is; `unknown` is not. */
type ValidPopulate<C extends ContentRegistry<C>, T extends keyof C, P> = '*' extends P
  ? unknown extends P
    ? ThisTakes<ContentPopulate<C, T>>
    : [ContentPopulate<C, T>] extends [P]
      ? P
      : ValidEachPopulate<C, T, P>
  : ValidEachPopulate<C, T, P>

type ValidEachPopulate<C extends ContentRegistry<C>, T extends keyof C, P> = P extends string
  ? P extends '*'
    ? P
    : OneName<P, ValidPath<C, T, P>>
  : P extends readonly unknown[]
    ? number extends P['length']
      ? { readonly [I in keyof P]: ValidPath<C, T, P[I]> }
      : ValidPaths<C, T, P, CutShort<P>>
    : P extends object
      ? { readonly [K in keyof P]: ValidAtLink<C, T, K, P[K]> }
      : Fitting<P, ContentPopulate<C, T> | undefined>

type ValidAtLink<C extends ContentRegistry<C>, T extends keyof C, K, E> = K extends keyof LinksOf<C, T>
  ? ValidLink<C, NonNullable<LinksOf<C, T>[K]>, E>
  : ThereAreOnly<Listed<LinksOf<C, T>>>

/** Names of groups or facets: `author.name`, `publishedAt:month`. */
export type ValidGroups<C extends ContentRegistry<C>, T extends keyof C, N, Others> = [N] extends [string]
  ? OneName<N, ValidGroup<C, T, N>>
  : [N] extends [readonly unknown[]]
    ? { readonly [I in keyof N]: OneName<N[I], ValidGroup<C, T, N[I]>> }
    : Fitting<N, Others>

/** Empty filters are allowed. */
type ValidWhole<C extends ContentRegistry<C>, T extends keyof C, F> = F extends undefined
  ? F
  : F extends object
    ? keyof F extends never
      ? F
      : Exact<F, ContentFilters<C, T>>
    : ThisTakes<'conditions'>

export type ValidPart<C extends ContentRegistry<C>, T extends keyof C, K, E, Parts> = K extends keyof Parts
  ? K extends 'fields'
    ? ValidFields<C, T, E>
    : K extends 'populate'
      ? ValidPopulate<C, T, E>
      : K extends 'sort'
        ? ValidSort<C, T, E, '_q' extends keyof Parts ? '_rank' : never>
        : K extends 'filters'
          ? ValidWhole<C, T, E>
          : K extends 'pagination'
            ? ValidPage<E, NonNullable<Parts[K]>>
            : K extends 'facets'
              ? ValidGroups<C, T, E, Parts[K]>
              : Fitting<E, Parts[K]>
  : ThereAreOnly<Listed<Parts>>

type ValidParts<C extends ContentRegistry<C>, T extends keyof C, Q, Parts> = {
  readonly [K in keyof Q]: ValidPart<C, T, K, Q[K], Parts>
}

type ValidByName<Q, Asked> = {
  readonly [K in keyof Q]: K extends keyof Asked ? Fitting<Q[K], Asked[K]> : ThereAreOnly<Listed<Asked>>
} & {
  readonly [K in Exclude<keyof Asked, keyof Q> as object extends Pick<Asked, K> ? never : K]: Asked[K]
}

type AskedOrValid<C extends ContentRegistry<C>, T extends keyof C, Q, Parts> = object extends Q
  ? NamedQueryOf<C, T> | (C[T]['asked'] extends 'freely' ? Parts : never)
  : Q extends { readonly query: infer N }
    ? N extends keyof QueriesOf<C, T>
      ? ValidByName<Q, NamedQueryParameters<C, T, N>>
      : { readonly query: ThereAreOnly<Listed<QueriesOf<C, T>>> }
    : C[T]['asked'] extends 'freely'
      ? ValidParts<C, T, Q, Parts>
      : ValidByName<Q, NamedQueryParameters<C, T, keyof QueriesOf<C, T>>>

/**
 * Checks a query at compile time. A valid query stays as it is. Each invalid part becomes its valid form. Editors
 * complete an empty query. The first test keeps compilers from expanding all types while the type argument is unknown.
 */
export type ValidQuery<C extends ContentRegistry<C>, T extends keyof C, Q, Parts = ContentQuery<C, T>> = [
  T,
] extends [never]
  ? unknown
  : | AskedOrValid<C, T, Exclude<Q, undefined>, Parts>
    | (C[T]['asked'] extends 'freely' ? Extract<Q, undefined> : never)

export type Fitting<V, Expected> = V extends Expected ? V : ThisTakes<Expected>

type Atom = string | number | boolean | Date | null | undefined | readonly unknown[]

type FittingAtom<V, Values> = [Values] extends [never] ? ThisTakes<'conditions'> : Fitting<V, Values>

/** An ignored condition would widen the result. */
type ExactList<V, Each> = V extends readonly []
  ? ThisTakes<'conditions'>
  : { readonly [I in keyof V]: Exact<V[I], Each> }

/** The full filter type is accepted as it is, because compilers cannot compare it by parts. */
type IsWhole<V, Asked> = string extends keyof V ? false : [Asked, V] extends [V, Asked] ? true : false

type ExactTable<V, Asked> = keyof V extends never
  ? ThisTakes<'conditions'>
  : IsWhole<V, Asked> extends true
    ? V
    : {
        readonly [K in keyof V]-?: K extends keyof Asked
          ? Exact<V[K], Exclude<Asked[K], undefined>>
          : ThereAreOnly<Listed<Asked>>
      }

/** Valid filters are themselves; each invalid part becomes its valid form. */
export type Exact<V, Asked> = V extends Atom
  ? [V, Asked] extends [readonly unknown[], readonly (infer Each extends object)[]]
    ? ExactList<V, Each>
    : FittingAtom<V, Extract<Asked, Atom>>
  : ExactTable<V, Exclude<Asked, Atom>>

/** Pages by number, offset or cursor exclude each other. */
interface NotBeside {
  readonly page: 'start' | 'limit' | 'after' | 'before'
  readonly pageSize: 'start' | 'limit'
  readonly start: 'page' | 'pageSize' | 'after' | 'before'
  readonly limit: 'page' | 'pageSize' | 'after' | 'before'
  readonly after: 'page' | 'start' | 'limit' | 'before'
  readonly before: 'page' | 'start' | 'limit' | 'after'
  readonly withCount: never
}

/** A valid page is itself; each invalid part becomes its valid form. */
export type ValidPage<P, Asked> = P extends object
  ? ValidPageParts<P, Asked, Given<P>>
  : Fitting<P, Asked | undefined>

type ValidPageParts<P, Asked, Names> = {
  readonly [K in keyof P]: K extends keyof Asked & keyof NotBeside
    ? [K & Names, NotBeside[K] & Names] extends [never, unknown] | [unknown, never]
      ? Fitting<P[K], Asked[K]>
      : ThisTakes<{ 'its place without': NotBeside[K] }>
    : ThereAreOnly<Listed<Asked>>
}
