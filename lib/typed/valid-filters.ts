import type {
  LinksOf,
  Listed,
  ContentRegistry,
  ScalarsOf,
  ThereAreOnly,
  ThisTakes,
  ToAny,
  ToOne,
  ToZone,
} from './content-registry'
import type { ComparedAs, ContentFilters, Junction, OperatorsOf, PlainValue } from './content-filters'

export type Fitting<V, Expected> = V extends Expected ? V : ThisTakes<Expected>

type Atom = string | number | boolean | Date | null | undefined | readonly unknown[]

type ValidOperators<Operators, F> = {
  readonly [O in keyof F]: O extends keyof Operators
    ? Fitting<F[O], Operators[O]>
    : ThereAreOnly<Listed<Operators> | '$not'>
}

type ValidComparison<Plain, Operators, F> = F extends Atom
  ? Fitting<F, Plain | undefined>
  : {
      readonly [O in keyof F]: O extends '$not'
        ? ValidOperators<Operators, F[O]>
        : O extends keyof Operators
          ? Fitting<F[O], Operators[O]>
          : ThereAreOnly<Listed<Operators> | '$not'>
    }

type ValidScalar<
  C extends ContentRegistry<C>,
  T extends keyof C,
  K extends keyof ScalarsOf<C, T>,
  F,
> = ValidComparison<
  PlainValue<ScalarsOf<C, T>[K], ComparedAs<C, T, K>>,
  OperatorsOf<ScalarsOf<C, T>[K], ComparedAs<C, T, K>>,
  F
>

type QuantifierName = '$some' | '$none' | '$every'
type WhichName = QuantifierName | '$count' | '$null' | '$notNull'

/** Beside quantifiers, which lead on. */
type ValidWhich<K, F> = K extends '$count'
  ? ValidComparison<PlainValue<number, 'text'>, OperatorsOf<number, 'text'>, F>
  : Fitting<F, boolean>

type ValidOnFilter<C extends ContentRegistry<C>, M, On> = {
  readonly [N in keyof On]: N extends keyof M
    ? ValidFilters<C, M[N] & keyof C, On[N]>
    : ThereAreOnly<Listed<M>>
}

type ValidElements<C extends ContentRegistry<C>, M, Tag extends string, F> = {
  readonly [K in keyof F]: K extends 'on'
    ? ValidOnFilter<C, M, F[K]>
    : K extends Tag
      ? ValidComparison<PlainValue<keyof M, 'text'>, OperatorsOf<keyof M, 'text'>, F[K]>
      : ThereAreOnly<'on' | Tag>
}

type ValidSeveralFilter<C extends ContentRegistry<C>, M, Tag extends string, F> = {
  readonly [K in keyof F]: K extends QuantifierName
    ? ValidElements<C, M, Tag, F[K]>
    : K extends WhichName
      ? ValidWhich<K, F[K]>
      : ThereAreOnly<WhichName>
}

type ValidLinkFilter<C extends ContentRegistry<C>, L, F> =
  L extends ToOne<infer U extends keyof C>
    ? {
        readonly [K in keyof F]: K extends QuantifierName
          ? ValidFilters<C, U, F[K]>
          : K extends WhichName
            ? ValidWhich<K, F[K]>
            : ValidFilter<C, U, K, F[K], WhichName>
      }
    : L extends ToZone<infer Z extends keyof C>
      ? ValidSeveralFilter<C, { readonly [N in Z]: N }, '__component', F>
      : L extends ToAny<infer M>
        ? ValidSeveralFilter<C, M, '__type', F>
        : F

type ValidFilter<C extends ContentRegistry<C>, T extends keyof C, K, F, Besides = never> = K extends
  '$and' | '$or'
  ? { readonly [I in keyof F]: ValidFilters<C, T, F[I]> }
  : K extends '$not'
    ? ValidFilters<C, T, F>
    : K extends keyof ScalarsOf<C, T>
      ? ValidScalar<C, T, K, F>
      : K extends keyof LinksOf<C, T>
        ? ValidLinkFilter<C, NonNullable<LinksOf<C, T>[K]>, F>
        : ThereAreOnly<Listed<ScalarsOf<C, T>> | Listed<LinksOf<C, T>> | Junction | Besides>

/** Filters themselves where all their names and values fit; else, at each that does not, what does. */
export type ValidFilters<C extends ContentRegistry<C>, T extends keyof C, F> = F extends undefined
  ? F
  : F extends object
    ? { readonly [K in keyof F]: ValidFilter<C, T, K, F[K]> }
    : ThisTakes<ContentFilters<C, T>>
