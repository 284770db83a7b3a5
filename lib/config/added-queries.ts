type QueryObject = Readonly<Record<string, unknown>>

/** Parts of a query as an object, as in Strapi's `populate`, `fields`, `sort` and `filters`. */
export interface TypeDefaults {
  /** Names, or an object with a query for each. */
  readonly populate?: string | readonly string[] | QueryObject
  /** Names of attributes. */
  readonly fields?: string | readonly string[]
  /** Keys such as `title` or `title:desc`. */
  readonly sort?: string | readonly (string | QueryObject)[] | QueryObject
  /** Conditions in addition to those of the request. */
  readonly filters?: QueryObject
}

/** A query of the host that clients send by its name. */
export interface NamedQuery {
  /** Its type: `article`, `api::article.article`. */
  readonly type: string
  /** The query, as it would stand in a URL. */
  readonly query: TypeDefaults & {
    readonly pagination?: Readonly<Record<string, unknown>>
    readonly locale?: string | readonly string[]
    readonly status?: 'published' | 'draft'
    readonly _q?: string
  }
  /**
   * Names of parameters, and where in the query their values go: `{ tag: 'filters.tags.slug.$eq' }`, or as in a URL,
   * `filters[tags][slug][$eq]`. A parameter is required unless the query holds a value there.
   */
  readonly parameters?: Readonly<Record<string, string>>
}

/** Queries of the host. Types, OpenAPI and the explorer show them. */
export interface AddedQueries {
  /** By name. */
  readonly queries?: Readonly<Record<string, NamedQuery>>
  /** By type, for requests that set none. */
  readonly defaults?: Readonly<Record<string, TypeDefaults>>
}
