import type { Run, Shown, ToldState } from '../load'

/** How one database tells that nothing has been committed. */
export interface Counter {
  /** Null where the database says nothing of the kind. */
  readonly read: (run: Run, connection: object) => Promise<Shown | null>
  /** The same, from what a reading heard of the state it saw. */
  readonly shown: (told: ToldState) => Shown | null
  /**
   * Milliseconds by which the counter may be ahead of what can be seen: it has to have stood still for so long before
   * what is read can be kept by it.
   */
  readonly ahead: number
  /** Lists the tables and views whose changes the counter does not count. */
  readonly uncounted: string
}

export const statement = (sql: string): Parameters<Run>[0] => ({
  sql,
  bindings: [],
  before: [],
})
