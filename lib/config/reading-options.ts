import { choice, flag } from './option'

/** How the database is read. */
export const readingOptions = {
  /**
   * `'snapshot'`: all statements of an answer see one state of the database. `'relaxed'`: each sees its own.
   * @default 'snapshot'
   */
  consistency: choice(['snapshot', 'relaxed'], {
    meaning: 'all statements of an answer see one state of the database, or each its own',
  }),
  /**
   * `false` where a pooler such as PgBouncer hands out connections for one transaction at a time.
   * @default true
   */
  preparedStatements: flag(true, {
    meaning:
      '`false` where [a pooler](databases.md#poolers-and-balancers) hands connections out by the transaction',
  }),
} as const
