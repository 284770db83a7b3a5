/** Runs a statement without bindings on one connection. */
export type RunSql = (sql: string) => Promise<readonly (readonly unknown[])[]>

/** A counter of commits. */
export interface ProbeResult {
  /** Never repeated after a commit on this server; null if unknown. */
  readonly count: string | null
  /** One run of one server, or one file. */
  readonly server: string
  /** The value of `Follower.beside`. */
  readonly beside?: string | null
}

/** Evidence of the state that a page shows. */
export interface PageEvidence {
  readonly connection: object
  /** Read by the statement of the page; undefined without a row. */
  readonly state: unknown
  /** Read behind the page. */
  readonly shown: ProbeResult | null
  readonly isInSnapshot: boolean
}

/** Reads the state of one kind of database. */
export interface Probe {
  readonly read: (run: RunSql, connection: object, isInSnapshot?: boolean) => Promise<ProbeResult | null>
  /** The state is read behind a page, because the statement of the page cannot show it. */
  readonly isAskedBehindPage?: true
  /** Counts have a meaning on one connection only. */
  readonly isOfConnection?: true
  readonly ofPage: (page: PageEvidence) => ProbeResult | null
  /** Rejects if the server accepts connections and refuses reads. */
  readonly check?: (run: RunSql, connection: object) => Promise<void>
  /** Milliseconds by which the counter may be ahead of the visible data: it counts after standing still for so long. */
  readonly ahead: number
  /** Statements of which any value may name the product. */
  readonly about: readonly string[]
  /** Lists the tables and views whose changes the counter does not count. */
  readonly uncounted: string
}
