import { setTimeout as pause } from 'node:timers/promises'
import { nobody } from '../access'
import { dialectOf } from '../compile'
import { type Database, driverOf, isPreparedElsewhere, isStale, isCutOff, isLost } from '../database'
import type { OnOwnConnection, RunSql } from '../freshness'
import type { StatementPreparing } from './preparing'
import { makeStop } from './stop'
import { withConnection } from './with-connection'

/** A balancer may lead to the node that is cut off more than once, and the pool hold several connections to it. */
const triesWhenCutOff = 5

/**
 * What broke one connection has mostly broken the others in the pool, which learns of it from their sockets a moment later:
 * another try at once may take a second dead one.
 */
const untilOthersAreKnown = 10

/** A file that is locked has kept everybody waiting already. */
const isLostOn =
  (database: Database) =>
  (error: unknown): boolean =>
    !driverOf(database).isInProcess && isLost(error)

/** Reads change nothing, so what was lost with its connection is read once more on another. */
export async function readAgain<T>(
  database: Database,
  read: (isAgain: boolean) => Promise<T>,
  isWorthIt = isLostOn(database),
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await read(tries > 1)
    } catch (error) {
      if (!isWorthIt(error) || tries >= (isCutOff(error) ? triesWhenCutOff : 2)) throw error
      if (isLost(error)) await pause(untilOthersAreKnown)
    }
  }
}

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
    emit: null,
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
