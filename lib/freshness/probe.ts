/** Runs a statement without bindings on one connection. */
export type RunSql = (sql: string) => Promise<readonly (readonly unknown[])[]>

/** What a database's counter of commits shows. */
export interface ProbeResult {
  /** Never the same again after a commit on this server; null where it cannot say. */
  readonly count: string | null
  /** One run of one server, or one file: what two connections have in common if they see the same. */
  readonly server: string
  /** What was read beside the state; absent without a follower. */
  readonly beside?: string | null
}

/** What a page told of the state of the database that it shows. */
export interface PageTold {
  readonly connection: object
  /** What its own statement told; undefined where no row did. */
  readonly state: unknown
  /** What the database said when it was asked behind the page. */
  readonly shown: ProbeResult | null
  readonly isInSnapshot: boolean
}

/** How one kind of database tells that nothing has been committed. */
export interface Probe {
  /** Null where the database says nothing of the kind. In a snapshot it is asked behind what was read there. */
  readonly read: (run: RunSql, connection: object, isInSnapshot?: boolean) => Promise<ProbeResult | null>
  /** Whether the database is asked behind a page, as the page's own statement cannot tell the state. */
  readonly isAskedBehindPage?: true
  /** Whether a count means something to one connection alone. */
  readonly isOfConnection?: true
  /** The same, from what a page told of the state that it shows. */
  readonly ofPage: (told: PageTold) => ProbeResult | null
  /** Rejects where the server takes connections and serves nobody. */
  readonly check?: (run: RunSql, connection: object) => Promise<void>
  /**
   * Milliseconds by which the counter may be ahead of what can be seen: it has to have stood still for so long before
   * what is read can be kept by it.
   */
  readonly ahead: number
  /** Statements whose rows tell which product a server is, by any of their values. */
  readonly about: readonly string[]
  /** Lists the tables and views whose changes the counter does not count. */
  readonly uncounted: string
}
