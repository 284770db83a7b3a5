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
import type {
  ComparedAs,
  ComparisonKind,
  ContentFilters,
  Junction,
  OperatorsOf,
  PlainValue,
} from './content-filters'

export type Fitting<V, Expected> = V extends Expected ? V : ThisTakes<Expected>

type Atom = string | number | boolean | Date | null | undefined | readonly unknown[]

/** Of conditions none may fall away without a word: it would show what it was to keep back. */
type ValidConditions<F, Valid> = F extends Atom
  ? ThisTakes<'conditions'>
  : keyof F extends never
    ? ThisTakes<'conditions'>
    : Valid

type ValidOperators<Operators, F> = {
  readonly [O in keyof F]-?: ValidOperator<Operators, O, F[O]>
}

type ValidOperator<Operators, O, V> = O extends keyof Operators
  ? Fitting<V, Exclude<Operators[O], undefined>>
  : O extends '$not'
    ? ValidConditions<
        V,
        {
          readonly [N in keyof V]: N extends '$not'
            ? ThereAreOnly<Listed<Operators>>
            : ValidOperator<Operators, N, V[N]>
        }
      >
    : ThereAreOnly<Listed<Operators> | '$not'>

/** Of the value and its operators, what is not asked for is not worked out. */
type ValidComparison<V, As extends ComparisonKind, F> = F extends Atom
  ? Fitting<F, PlainValue<V, As>>
  : ValidConditions<F, ValidOperators<OperatorsOf<V, As>, F>>

type ValidScalar<
  C extends ContentRegistry<C>,
  T extends keyof C,
  K extends keyof ScalarsOf<C, T>,
  F,
> = ValidComparison<ScalarsOf<C, T>[K], ComparedAs<C, T, K>, F>

type QuantifierName = '$some' | '$none' | '$every'
type WhichName = QuantifierName | '$count' | '$null' | '$notNull'

/** Beside quantifiers, which lead on. */
type ValidWhich<K, F> = K extends '$count' ? ValidComparison<number, 'text', F> : Fitting<F, boolean>

type ValidOnFilter<C extends ContentRegistry<C>, M, On> = {
  readonly [N in keyof On]: N extends keyof M
    ? ValidFilters<C, M[N] & keyof C, On[N]>
    : ThereAreOnly<Listed<M>>
}

type ValidElements<C extends ContentRegistry<C>, M, Tag extends string, F> = ValidConditions<
  F,
  {
    readonly [K in keyof F]: K extends 'on'
      ? ValidConditions<F[K], ValidOnFilter<C, M, F[K]>>
      : K extends Tag
        ? ValidComparison<keyof M, 'tag', F[K]>
        : ThereAreOnly<'on' | Tag>
  }
>

type ValidSeveralFilter<C extends ContentRegistry<C>, M, Tag extends string, F> = {
  readonly [K in keyof F]-?: K extends QuantifierName
    ? ValidElements<C, M, Tag, F[K]>
    : K extends '$count'
      ? ValidComparison<number, 'text', F[K]>
      : ThereAreOnly<QuantifierName | '$count'>
}

type ValidLinkFilter<C extends ContentRegistry<C>, L, F> = ValidConditions<F, ValidInLink<C, L, F>>

type ValidInLink<C extends ContentRegistry<C>, L, F> =
  L extends ToOne<infer U extends keyof C>
    ? {
        readonly [K in keyof F]-?: K extends WhichName
          ? K extends QuantifierName
            ? ValidFilters<C, U, F[K]>
            : ValidWhich<K, F[K]>
          : ValidFilter<C, U, K, F[K], WhichName>
      }
    : L extends ToZone<infer Z extends keyof C>
      ? ValidSeveralFilter<C, { readonly [N in Z]: N }, '__component', F>
      : L extends ToAny<infer M>
        ? ValidSeveralFilter<C, M, '__type', F>
        : F

type ValidFilter<
  C extends ContentRegistry<C>,
  T extends keyof C,
  K,
  F,
  Besides = never,
> = K extends keyof ScalarsOf<C, T>
  ? ValidScalar<C, T, K, F>
  : K extends keyof LinksOf<C, T>
    ? ValidLinkFilter<C, NonNullable<LinksOf<C, T>[K]>, F>
    : K extends '$and' | '$or'
      ? F extends readonly []
        ? ThisTakes<'conditions'>
        : { readonly [I in keyof F]: ValidFilters<C, T, F[I]> }
      : K extends '$not'
        ? ValidFilters<C, T, F>
        : ThereAreOnly<Listed<ScalarsOf<C, T>> | Listed<LinksOf<C, T>> | Junction | Besides>

/** All that may be asked of the type is taken for what it is: compilers tell no other from it by its parts. */
type IsWhole<C extends ContentRegistry<C>, T extends keyof C, F> = keyof F extends never
  ? false
  : string extends keyof F
    ? false
    : [ContentFilters<C, T>, F] extends [F, ContentFilters<C, T>]
      ? true
      : false

/** Filters themselves where all their names and values fit; else, at each that does not, what does. */
export type ValidFilters<C extends ContentRegistry<C>, T extends keyof C, F> =
  IsWhole<C, T, F> extends true
    ? F
    : ValidConditions<F, { readonly [K in keyof F]-?: ValidFilter<C, T, K, F[K]> }>
