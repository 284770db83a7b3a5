import type { ComparedAs } from './content-query'
import type {
  ContentRegistry,
  LinkedType,
  Listed,
  LinksOf,
  ScalarsOf,
  ThereAreOnly,
} from './content-registry'

type PartOfDate = 'year' | 'quarter' | 'month' | 'week' | 'day'

type ScalarValue<C extends ContentRegistry<C>, T extends keyof C, K extends keyof ScalarsOf<C, T>> =
  ComparedAs<C, T, K> extends 'presence' | 'superset'
    ? never
    : undefined extends ScalarsOf<C, T>[K]
      ? NonNullable<ScalarsOf<C, T>[K]> | null
      : ScalarsOf<C, T>[K]

/** The value at a path through relations. A relation has the `documentId`. Never: there is no such path. */
type ValueAt<C extends ContentRegistry<C>, T extends keyof C, P> = P extends `${infer H}.${infer R}`
  ? [LinkedType<C, T, H>] extends [never]
    ? never
    : ThroughLink<ValueAt<C, LinkedType<C, T, H>, R>>
  : P extends keyof ScalarsOf<C, T>
    ? ScalarValue<C, T, P>
    : [LinkedType<C, T, P>] extends [never]
      ? never
      : string | null

type ThroughLink<V> = [V] extends [never] ? never : V | null

/** Databases have dates in strings. */
type Dated<V> = [V] extends [never] ? never : string extends V ? string | null : never

/** The value of a group: `author.name`, `publishedAt:month`. Never: there is no such group. */
export type GroupValue<C extends ContentRegistry<C>, T extends keyof C, P> = string extends P
  ? string | number | boolean | null
  : P extends `${infer Path}:${infer Part}`
    ? Part extends PartOfDate
      ? Dated<ValueAt<C, T, Path>>
      : never
    : ValueAt<C, T, P>

type NamesAt<C extends ContentRegistry<C>, T extends keyof C, P> = P extends `${infer H}.${infer R}`
  ? [LinkedType<C, T, H>] extends [never]
    ? Listed<LinksOf<C, T>>
    : NamesAt<C, LinkedType<C, T, H>, R>
  : Listed<ScalarsOf<C, T> & LinksOf<C, T>>

export type ValidGroup<C extends ContentRegistry<C>, T extends keyof C, P> = [GroupValue<C, T, P>] extends [
  never,
]
  ? ThereAreOnly<NamesAt<C, T, P>>
  : P

/** The names in one name or in a list. */
export type NamesIn<N> = N extends readonly (infer One)[] ? One & string : N & string

/** `meta.facets` of a list. */
export type FacetsMeta<C extends ContentRegistry<C>, T extends keyof C, N> = [NamesIn<N>] extends [never]
  ? unknown
  : undefined extends N
    ? { facets?: FacetValues<C, T, NamesIn<N>> }
    : { facets: FacetValues<C, T, NamesIn<N>> }

type FacetValues<C extends ContentRegistry<C>, T extends keyof C, Names extends string> = {
  [P in Names]: { value: GroupValue<C, T, P>; count: number }[]
}
