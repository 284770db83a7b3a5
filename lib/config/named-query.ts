import type { TypeDefaults } from './type-defaults'

/** A query that the host wrote, for clients to ask by its name. */
export interface NamedQuery {
  /** Of which type: `article`, `api::article.article`. */
  readonly type: string
  /** What is asked, as it would stand in a URL. */
  readonly query: TypeDefaults & {
    readonly pagination?: Readonly<Record<string, unknown>>
    readonly locale?: string | readonly string[]
    readonly status?: 'published' | 'draft'
    readonly _q?: string
  }
  /**
   * What a client may say: the names of its parameters, and where in the query their values go, `{ tag:
   * 'filters.tags.slug.$eq' }`, or as in a URL, `filters[tags][slug][$eq]`. Each has to be given, unless the query holds a value there.
   */
  readonly parameters?: Readonly<Record<string, string>>
}
