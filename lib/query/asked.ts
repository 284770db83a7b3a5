import type { QueryPath } from '../errors'
import type { Cursor } from './cursor'
import type { CompareOperator, Quantifier } from '../operators'

// What a query text asks for, as far as its form tells. Names are the client's words: nothing here is known to exist.

/** Stands for a value of whoever asks, in a rule of the host's. */
export interface AskerName {
  readonly asker: string
}

/** A value as it was sent; null is a parameter without `=`. */
export type AskedValue = string | null | AskerName

export interface AskedComparison {
  readonly op: 'compare'
  readonly operator: CompareOperator
  readonly values: readonly AskedValue[]
  readonly path: QueryPath
}

export type AskedCondition =
  | { readonly op: 'and' | 'or'; readonly of: readonly AskedCondition[] }
  | { readonly op: 'not'; readonly of: AskedCondition }
  | { readonly op: 'at'; readonly name: string; readonly of: AskedCondition; readonly path: QueryPath }
  | {
      readonly op: 'which'
      readonly quantifier: Quantifier
      readonly of: AskedCondition
      readonly path: QueryPath
    }
  | { readonly op: 'count'; readonly of: AskedCondition; readonly path: QueryPath }
  | AskedComparison

export interface AskedSort {
  readonly names: readonly [string, ...string[]]
  readonly direction: 'asc' | 'desc'
  /** Whether the direction was written, and not taken for granted. */
  readonly isDirected: boolean
  readonly path: QueryPath
}

/** `'*'`: every scalar attribute. Other names may stand beside it, and must exist. */
export type AskedFields = '*' | { readonly names: readonly string[]; readonly path: QueryPath }

export const includesAll = (fields: AskedFields): boolean => fields === '*' || fields.names.includes('*')

export interface AskedPopulate {
  /** `populate=*`: everything, one level deep. */
  readonly all: boolean
  readonly entries: readonly AskedEntry[]
  readonly path: QueryPath
}

export interface AskedEntry {
  readonly name: string
  readonly path: QueryPath
  /** Absent for `populate[name]=false`: the name must exist, nothing is loaded. */
  readonly ask: Ask | null
}

export interface Ask {
  readonly fields: AskedFields
  readonly populate: AskedPopulate
  readonly filters: AskedCondition | null
  readonly sort: readonly AskedSort[]
  readonly on: readonly AskedFragment[] | null
  readonly count: boolean
  /** A page of what each single entry is related to. */
  readonly page: NumberedPage | null
  /** Which keys were written, for the places where only some may stand. */
  readonly keys: readonly string[]
  /** Written as a dotted path: through a zone it reaches into every component that has the name. */
  readonly dotted: boolean
  readonly path: QueryPath
}

export interface AskedFragment {
  readonly uid: string
  readonly path: QueryPath
  readonly ask: Ask | null
}

export type AskedPage = NumberedPage | AskedKeysetPage

interface PageOfSize {
  readonly limit: number
  readonly withCount: boolean
}

export interface NumberedPage extends PageOfSize {
  readonly start: number
  /** How the page was named, which is how `meta.pagination` answers. */
  readonly by: 'page' | 'offset'
}

/** The entries next to one that a page before it told of. */
export interface KeysetSide {
  readonly by: 'cursor'
  readonly side: 'after' | 'before'
}

export interface AskedKeysetPage extends PageOfSize, KeysetSide {
  /** Null for the first entries, or the last. */
  readonly cursor: Cursor | null
  readonly path: QueryPath
}

export type PublicationStatus = 'published' | 'draft'

export interface Query {
  readonly fields: AskedFields
  readonly populate: AskedPopulate
  readonly filters: AskedCondition | null
  /** A condition on `locale` stands at the top of the filters. */
  readonly filtersLocale: boolean
  readonly sort: readonly AskedSort[]
  readonly page: AskedPage
  readonly status: PublicationStatus
  readonly locale: 'default' | '*' | readonly string[]
  /** Which locales stand in for one that a document lacks. */
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
