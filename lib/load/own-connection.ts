import { dialectOf } from '../compile'
import { type Database, isLost, isPreparedElsewhere } from '../database'
import type { OnOwnConnection, RunSql } from '../freshness'
import type { StatementPreparing } from './preparing'
import { makeStop } from './stop'
import { withConnection } from './with-connection'

/** Runs statements that belong to no answer, and no longer than an answer may take. */
export function ownConnection(
  database: Database,
  prepared: StatementPreparing,
  timeout: number,
): OnOwnConnection {
  const reading = {
    database,
    dialect: dialectOf(database),
    onStatement: () => undefined,
    snapshot: false,
    prepared: prepared.ofOthers,
    timer: null,
  }
  const once: OnOwnConnection = async (use) => {
    const stop = makeStop(timeout)
    return withConnection({ ...reading, stop }, (run, connection) => {
      const runSql: RunSql = (sql) => run({ sql, bindings: [], before: [] })
      return use(runSql, connection)
    }).finally(stop.finish)
  }
  return (use) =>
    once(use).catch((error: unknown) => {
      const isElsewhere = isPreparedElsewhere(error)
      if (isElsewhere) prepared.giveUp()
      // A locked file of SQLite's may have held the process already.
      if (isElsewhere || (database.dialect !== 'sqlite' && isLost(error))) return once(use)
      throw error
    })
}
