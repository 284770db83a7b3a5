import type {
  ContentRegistry,
  LinksOf,
  Listed,
  QueriesOf,
  ScalarsOf,
  ThereAreOnly,
  ToAny,
  ToOne,
  ToZone,
} from './content-registry'
import type { AskedByName, AskedOfLink, LinkedQuery, NamedQueryOf, PageAsked } from './content-query'
import type { Fitting, ValidFilters } from './valid-filters'

// A query that is written down is taken for what it is, so that a name too many would pass. So each of its parts is looked at:
// what is right stands for itself, what is wrong for what there is in its place.

type LinkedType<C extends ContentRegistry<C>, T extends keyof C, K> = K extends keyof LinksOf<C, T>
  ? NonNullable<LinksOf<C, T>[K]> extends ToOne<infer U extends keyof C>
    ? U
    : never
  : never

type ValidField<C extends ContentRegistry<C>, T extends keyof C, F> = F extends keyof ScalarsOf<C, T> | '*'
  ? F
  : ThereAreOnly<Listed<ScalarsOf<C, T>>>

type ValidFields<C extends ContentRegistry<C>, T extends keyof C, F> = F extends string
  ? ValidField<C, T, F>
  : { readonly [I in keyof F]: ValidField<C, T, F[I]> }

/** A path of links, of which `Rest` is still to be looked at. */
type ValidPath<
  C extends ContentRegistry<C>,
  T extends keyof C,
  P,
  Rest = P,
> = Rest extends `${infer H}.${infer R}`
  ? [LinkedType<C, T, H>] extends [never]
    ? ThereAreOnly<Listed<LinksOf<C, T>>>
    : ValidPath<C, LinkedType<C, T, H>, P, R>
  : Rest extends keyof LinksOf<C, T> | '*'
    ? P
    : ThereAreOnly<Listed<LinksOf<C, T>>>

/** The attribute that a path ends at. */
type Undirected<Path> = Path extends `${infer Name}:asc` | `${infer Name}:desc` ? Name : Path

/** A path of links to a scalar attribute, or to how many there are. */
type ValidSortPath<
  C extends ContentRegistry<C>,
  T extends keyof C,
  P,
  Rest = P,
> = Rest extends `${infer H}.${infer R}`
  ? H extends keyof LinksOf<C, T>
    ? Undirected<R> extends '$count'
      ? P
      : ValidSortPath<C, LinkedType<C, T, H>, P, R>
    : ThereAreOnly<Listed<LinksOf<C, T>>>
  : Undirected<Rest> extends keyof ScalarsOf<C, T>
    ? P
    : ThereAreOnly<Listed<ScalarsOf<C, T>>>

type ValidSort<C extends ContentRegistry<C>, T extends keyof C, S> = S extends string
  ? ValidSortPath<C, T, S>
  : { readonly [I in keyof S]: ValidSortPath<C, T, S[I]> }

type ValidOn<C extends ContentRegistry<C>, M, On> = {
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
    ? ValidParts<C, U, E, AskedOfLink<C, U, L>>
    : L extends ToZone<infer Z extends keyof C>
      ? ValidSeveral<C, { readonly [N in Z]: N }, E, 'on' | 'populate' | 'count'>
      : L extends ToAny<infer M>
        ? ValidSeveral<C, M, E, 'on' | 'count'>
        : E
  : Fitting<E, boolean | undefined>

type ValidLinked<C extends ContentRegistry<C>, U extends keyof C, E> = E extends object
  ? ValidParts<C, U, E, LinkedQuery<C, U>>
  : Fitting<E, boolean | undefined>

type ValidPopulate<C extends ContentRegistry<C>, T extends keyof C, P> = P extends string
  ? ValidPath<C, T, P>
  : P extends readonly unknown[]
    ? { readonly [I in keyof P]: ValidPath<C, T, P[I]> }
    : { readonly [K in keyof P]: ValidAtLink<C, T, K, P[K]> }

type ValidAtLink<C extends ContentRegistry<C>, T extends keyof C, K, E> = K extends keyof LinksOf<C, T>
  ? ValidLink<C, NonNullable<LinksOf<C, T>[K]>, E>
  : ThereAreOnly<Listed<LinksOf<C, T>>>

type ValidPage<P> = {
  readonly [K in keyof P]: K extends keyof PageAsked
    ? Fitting<P[K], PageAsked[K]>
    : ThereAreOnly<Listed<PageAsked>>
}

type ValidPart<C extends ContentRegistry<C>, T extends keyof C, K, E, Parts> = K extends keyof Parts
  ? K extends 'fields'
    ? ValidFields<C, T, E>
    : K extends 'populate'
      ? ValidPopulate<C, T, E>
      : K extends 'sort'
        ? ValidSort<C, T, E>
        : K extends 'filters'
          ? ValidFilters<C, T, E>
          : K extends 'pagination'
            ? ValidPage<E>
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
  ? Parts | NamedQueryOf<C, T>
  : Q extends { readonly query: infer N }
    ? N extends keyof QueriesOf<C, T>
      ? ValidByName<Q, AskedByName<C, T, N>>
      : { readonly query: ThereAreOnly<Listed<QueriesOf<C, T>>> }
    : C[T]['asked'] extends 'freely'
      ? ValidParts<C, T, Q, Parts>
      : ThereAreOnly<'query'>

/**
 * The query itself where all its names are there and its values fit; else, at each that does not, what does. Before anything is
 * known of it, as in an editor, all that might be asked.
 *
 * As long as it is not known which type is asked, a compiler would look at all of them, and at all that they lead to: hence
 * the first question, which no name of a type answers with yes.
 */
export type ValidQuery<C extends ContentRegistry<C>, T extends keyof C, Q, Parts> = [T] extends [never]
  ? unknown
  : AskedOrValid<C, T, Q, Parts>
