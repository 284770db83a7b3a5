import type { QueryPath } from '../errors'
import type { CompareOperator, countName, Quantifier } from '../operators'

// Parsed forms of a query. Names are not resolved.

/** Value of the current user, in a rule. */
export interface AskerName {
  readonly asker: string
}

/** Null: a parameter without `=`. */
export type RawValue = string | null | AskerName

export interface QueryComparison {
  readonly op: 'compare'
  readonly operator: CompareOperator
  readonly values: readonly RawValue[]
  readonly path: QueryPath
}

export type QueryCondition =
  | { readonly op: 'and' | 'or'; readonly of: readonly QueryCondition[] }
  | { readonly op: 'not'; readonly of: QueryCondition }
  | { readonly op: 'at'; readonly name: string; readonly of: QueryCondition; readonly path: QueryPath }
  | {
      readonly op: 'which'
      readonly quantifier: Quantifier | typeof countName
      readonly of: QueryCondition
      readonly path: QueryPath
    }
  | QueryComparison

export interface QuerySort {
  readonly names: readonly [string, ...string[]]
  readonly direction: 'asc' | 'desc'
  readonly isDirected: boolean
  readonly path: QueryPath
  /** Advice for a path through an attribute that is no relation. */
  readonly hint?: string | undefined
}

/** Names beside `*` must exist. */
export type QueryFields = '*' | { readonly names: readonly string[]; readonly path: QueryPath }

export interface QueryPopulate {
  /** `populate=*`: one level. */
  readonly all: boolean
  readonly entries: readonly PopulateEntry[]
  readonly path: QueryPath
}

/** A relation, or a type in a fragment. */
export interface PopulateEntry {
  readonly name: string
  readonly path: QueryPath
  /** Null for `populate[name]=false`: the name must exist, and nothing is loaded. */
  readonly query: LevelQuery | null
}

export interface LevelQuery {
  readonly fields: QueryFields
  readonly populate: QueryPopulate
  readonly filters: QueryCondition | null
  readonly sort: readonly QuerySort[]
  readonly on: readonly PopulateEntry[] | null
  readonly count: boolean
  readonly page: NumberedPage | null
  /** Keys in the query, for places that allow only some. */
  readonly keys: readonly string[]
  /** Dotted path: in a zone it applies to all components with the name. */
  readonly dotted: boolean
  readonly path: QueryPath
}

/** `estimated`: the planner's estimate for long lists. */
export type WithCount = boolean | 'estimated'

export type QueryPage = NumberedPage | QueryKeysetPage

export interface NumberedPage {
  readonly start: number
  readonly limit: number
  readonly withCount: WithCount
  /** Form of `meta.pagination`. */
  readonly by: 'page' | 'offset'
}

/** Sort key without loss; null for NULL. */
export type CursorKey = { readonly is: 'text' | 'number' | 'bytes'; readonly value: string } | null

export interface Cursor {
  readonly list: string
  readonly keys: readonly CursorKey[]
  readonly id: number | string
}

export interface QueryKeysetPage {
  readonly by: 'cursor'
  readonly side: 'after' | 'before'
  readonly limit: number
  readonly withCount: WithCount
  /** Null: the first entries, or the last. */
  readonly cursor: Cursor | null
  readonly path: QueryPath
}

export type PublicationStatus = 'published' | 'draft'

export interface Query extends Pick<LevelQuery, 'fields' | 'populate' | 'filters' | 'sort'> {
  /** True for a condition on `locale` at the top. */
  readonly filtersLocale: boolean
  readonly page: QueryPage
  readonly status: PublicationStatus
  readonly locale: 'default' | '*' | readonly string[]
  /** Locales for documents without the requested one. */
  readonly fallback: 'default' | 'none' | readonly string[]
  readonly publicationFilter: PublicationFilter | null
  readonly search: string | null
}

export const publicationFilters = [
  'never-published',
  'has-published-version',
  'modified',
  'unmodified',
  'never-published-document',
  'has-published-version-document',
  'published-without-draft',
  'published-with-draft',
] as const
export type PublicationFilter = (typeof publicationFilters)[number]
