import { createHash } from 'node:crypto'
import type { Logger } from '../config'
import { type Database, driverOf } from '../database'
import { makeMemory } from '../memory'

/** The name under which the database is to keep a statement of this text; none for what it is only to run. */
export type Preparing = (sql: string) => string | undefined

/** PostgreSQL keeps a named statement for as long as the connection lives, in many times the size of its text. */
const mostPrepared = 1000
const mostLetters = 2_000_000

/** Of texts that have not come often enough, of which a client may cause any number. */
const maxBytes = 8 * 1024 * 1024

/** The same for the same text: connections may be shared with others who name statements. */
const nameOf = (sql: string): string => `content_router_${createHash('sha1').update(sql).digest('hex')}`

/**
 * Names what is run for the `from`th time. Runs are counted by the text, for all plans that have it: requests that differ in
 * values alone ask the same, as do most of those that read the same below different pages.
 */
export function makePreparing({ from }: { readonly from: number }): Preparing {
  const names = new Map<string, string>()
  const runs = makeMemory<number>({ maxBytes })
  let letters = 0
  return (sql) => {
    const known = names.get(sql)
    if (known !== undefined) return known
    const run = (runs.get(sql) ?? 0) + 1
    if (run < from) {
      runs.set(sql, run)
      return undefined
    }
    if (names.size === mostPrepared || letters + sql.length > mostLetters) return undefined
    letters += sql.length
    runs.delete(sql)
    const name = nameOf(sql)
    names.set(sql, name)
    return name
  }
}

export const neverPrepared: Preparing = () => undefined

/** What is prepared on the connections of one database. */
export interface StatementPreparing {
  /** Of plans, once they have come a few times. */
  readonly ofPlans: Preparing
  readonly ofOthers: Preparing
  /** Connections turned out not to keep what is prepared on them: nothing is, from now on. */
  readonly giveUp: () => void
}

/** For statements that belong to no request, and seldom run. */
export const unprepared: StatementPreparing = {
  ofPlans: neverPrepared,
  ofOthers: neverPrepared,
  giveUp: () => undefined,
}

export function preparedStatements(
  database: Database,
  { logger }: { readonly logger: Logger },
): StatementPreparing {
  let isPrepared = driverOf(database).namesStatements
  const unlessGivenUp =
    (preparing: Preparing): Preparing =>
    (sql) =>
      isPrepared ? preparing(sql) : undefined
  return {
    ofPlans: unlessGivenUp(makePreparing({ from: 3 })),
    ofOthers: unlessGivenUp(makePreparing({ from: 1 })),
    giveUp: () => {
      if (isPrepared) {
        logger.warn(
          { remedy: 'PgBouncer 1.21 or later, with max_prepared_statements' },
          'the pooler does not keep prepared statements: none is prepared from now on',
        )
      }
      isPrepared = false
    },
  }
}
