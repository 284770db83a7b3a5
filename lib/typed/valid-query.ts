import type {
  ContentRegistry,
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
import type {
  AskedByName,
  AskedOfLink,
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

// A query that is written down is taken for what it is, so that a name too many would pass. So each of its parts is looked at:
// what is right stands for itself, what is wrong for what there is in its place.

type LinkedType<C extends ContentRegistry<C>, T extends keyof C, K> = K extends keyof LinksOf<C, T>
  ? NonNullable<LinksOf<C, T>[K]> extends ToOne<infer U extends keyof C>
    ? U
    : never
  : never

/**
 * A text that is known at run time alone is taken, and lists of which it is not known what is in them. Of one of several names
 * among others it would not be known which the answer shows.
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
  : Rest extends keyof LinksOf<C, T>
    ? P
    : string extends Rest
      ? P
      : ThereAreOnly<Listed<LinksOf<C, T>>>

type Undirected<Path> = Path extends `${infer Name}:asc` | `${infer Name}:desc` ? Name : Path

/** JSON has no order that all databases share. */
type SortableScalars<C extends ContentRegistry<C>, T extends keyof C> = {
  readonly [K in keyof ScalarsOf<C, T> as ComparedAs<C, T, K> extends 'presence' ? never : K]: unknown
}

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

type ValidSort<C extends ContentRegistry<C>, T extends keyof C, S> = S extends string
  ? ValidSortPath<C, T, S>
  : S extends readonly unknown[]
    ? { readonly [I in keyof S]: ValidSortPath<C, T, S[I]> }
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

/** What a path that goes on has asked is undone by one that ends on its way, where it follows. */
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

/** All that may be asked there, a star among it, is taken for what it is; what may be anything is not. */
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

/** Without any conditions there is nothing to fall away. */
type ValidWhole<C extends ContentRegistry<C>, T extends keyof C, F> = F extends undefined
  ? F
  : F extends object
    ? keyof F extends never
      ? F
      : Exact<F, ContentFilters<C, T>>
    : ThisTakes<'conditions'>

type ValidPart<C extends ContentRegistry<C>, T extends keyof C, K, E, Parts> = K extends keyof Parts
  ? K extends 'fields'
    ? ValidFields<C, T, E>
    : K extends 'populate'
      ? ValidPopulate<C, T, E>
      : K extends 'sort'
        ? ValidSort<C, T, E>
        : K extends 'filters'
          ? ValidWhole<C, T, E>
          : K extends 'pagination'
            ? ValidPage<E, NonNullable<Parts[K]>>
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
      ? ValidByName<Q, AskedByName<C, T, N>>
      : { readonly query: ThereAreOnly<Listed<QueriesOf<C, T>>> }
    : C[T]['asked'] extends 'freely'
      ? ValidParts<C, T, Q, Parts>
      : ValidByName<Q, AskedByName<C, T, keyof QueriesOf<C, T>>>

/**
 * The query itself where all its names are there and its values fit; else, at each that does not, what does. Before anything is
 * known of it, as in an editor, all that might be asked.
 *
 * As long as it is not known which type is asked, a compiler would look at all of them, and at all that they lead to: hence
 * the first question, which no name of a type answers with yes.
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

/** Of conditions none may fall away without a word: it would show what it was to keep back. */
type ExactList<V, Each> = V extends readonly []
  ? ThisTakes<'conditions'>
  : { readonly [I in keyof V]: Exact<V[I], Each> }

/** All that may be asked is taken for what it is: compilers tell no other from it by its parts. */
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

/** Conditions themselves where all their names and values may be asked; else, at each that may not, what may. */
export type Exact<V, Asked> = V extends Atom
  ? [V, Asked] extends [readonly unknown[], readonly (infer Each extends object)[]]
    ? ExactList<V, Each>
    : FittingAtom<V, Extract<Asked, Atom>>
  : ExactTable<V, Exclude<Asked, Atom>>

/** A page is by its number, by how many come before, or by a cursor. */
interface NotBeside {
  readonly page: 'start' | 'limit' | 'after' | 'before'
  readonly pageSize: 'start' | 'limit'
  readonly start: 'page' | 'pageSize' | 'after' | 'before'
  readonly limit: 'page' | 'pageSize' | 'after' | 'before'
  readonly after: 'page' | 'start' | 'limit' | 'before'
  readonly before: 'page' | 'start' | 'limit' | 'after'
  readonly withCount: never
}

/** What is asked of a page itself where its names are there, and go together; else, at each that does not, what does. */
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
