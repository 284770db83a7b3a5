import { nobody } from '../access'
import { dialectOf } from '../compile'
import { type Database, isPreparedElsewhere, isStale } from '../database'
import type { OnOwnConnection, RunSql } from '../freshness'
import type { StatementPreparing } from './preparing'
import { isLostOn, readAgain } from './read-again'
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
    asker: nobody,
  }
  const once: OnOwnConnection = async (use) => {
    const stop = makeStop(timeout)
    return withConnection({ ...reading, stop }, (run, connection) => {
      const runSql: RunSql = (sql) => run({ sql, bindings: [], isPersonal: false, shows: [] })
      return use(runSql, connection)
    }).finally(stop.finish)
  }
  const isLost = isLostOn(database)
  const isWorthIt = (error: unknown): boolean => {
    const isElsewhere = isPreparedElsewhere(error)
    if (isElsewhere) prepared.giveUp()
    return isElsewhere || isLost(error) || isStale(error)
  }
  return (use) => readAgain(database, () => once(use), isWorthIt)
}
