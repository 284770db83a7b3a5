import type { Run } from '../load'

export interface Shown {
  /** Never the same again after a commit on this server; null where it cannot say. */
  readonly count: string | null
  /** One run of one server, or one file: what two connections have in common if they see the same. */
  readonly server: string
}

/** How one database tells that nothing has been committed. */
export interface Counter {
  /** Null where the database says nothing of the kind. */
  readonly read: (run: Run, connection: object) => Promise<Shown | null>
  /**
   * Milliseconds by which the counter may be ahead of what can be seen: it has to have stood still for so long before
   * what is read can be kept by it.
   */
  readonly ahead: number
  /** Lists the tables and views whose changes the counter does not count. */
  readonly uncounted: string
}

export const statement = (sql: string, name: string): Parameters<Run>[0] => ({
  sql,
  bindings: [],
  before: [],
  name: () => `content_router_${name}`,
})
