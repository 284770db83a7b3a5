import type { OperatorTable } from '../query'
import type {
  ComparesOf,
  ContentRegistry,
  LinksOf,
  ScalarsOf,
  ToAny,
  ToOne,
  ToZone,
} from './content-registry'

/** How many values an operator takes, and whether null is one of them. */
type OperandOf<Entry, V, OrNull> = Entry extends { readonly takes: 'two' }
  ? readonly [from: V, to: V]
  : Entry extends { readonly takes: 'any number' }
    ? readonly V[]
    : Entry extends { readonly test: { readonly ignoreCase: false } }
      ? V | OrNull
      : V

/** Those operators whose entries in the table are so. */
type OperatorsLike<Like, V, OrNull = never> = {
  readonly [K in keyof OperatorTable as OperatorTable[K] extends Like ? K : never]?: OperandOf<
    OperatorTable[K],
    V,
    OrNull
  >
}

type Presence = OperatorsLike<{ readonly value: 'truth' }, boolean>
type ByValue<V> = OperatorsLike<{ readonly value: 'own' }, V, null> & Presence
type ByText<V> = OperatorsLike<{ readonly value: 'text' }, string> & ByValue<V>
type BySuperset = OperatorsLike<{ readonly value: 'json' }, string> & ByText<string>

/** The type of an entry, which it always has. */
type ByTag<V> = OperatorsLike<
  { readonly test: { readonly is: 'within' } | { readonly is: 'equal'; readonly ignoreCase: false } },
  V
>

/** What may be written for a value: texts for numbers that may be too large for one. */
type AskableValue<V> = V extends string
  ? V
  : V extends number
    ? V | `${number}`
    : V extends boolean
      ? V
      : string

/** Days and instants are texts in an answer. */
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

/** How the attribute `K` may be compared, where not as a text. */
export type ComparedAs<C extends ContentRegistry<C>, T extends keyof C, K> = K extends keyof ComparesOf<C, T>
  ? ComparesOf<C, T>[K] & ComparisonKind
  : 'text'

type OperatorsOf<V, As extends ComparisonKind> = Operators<AskableValue<NonNullable<V>>>[As]

type ComparableValue<V, As> = As extends 'day' | 'instant' ? OrDate<V> : V

/** A value by itself is `$eq`, and a list `$in`. */
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

/** Of the entries that an attribute leads to: for one, for none, for each; and how many there are. */
interface WhichOfSeveral<F> {
  readonly $some?: F
  readonly $none?: F
  readonly $every?: F
  readonly $count?: AttributeFilter<number, 'text'>
}

/** Of one type it may be asked besides whether there is any. */
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

/** What may be asked of entries of a type, at any depth. */
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
