import { type Database, poolOf, poolSize } from '../database'
import { UnavailableError, type UnavailableReason } from '../errors'
import { ownConnection, unprepared } from '../read'
import { LoadError } from './errors'
import type { Settings } from './settings'

/** Other processes are as busy as this one, which therefore stays in service. */
const isPoolBusy = (database: Database): boolean => (poolOf(database).numUsed?.() ?? 0) >= poolSize(database)

/** Null if the database answers in time, or if the pool is busy. Otherwise the reason, which is logged. */
export async function reachDatabase(
  { answerError, outages }: Settings,
  database: Database,
  timeout: number,
): Promise<UnavailableReason | null> {
  if (isPoolBusy(database)) return null
  try {
    await ownConnection(database, unprepared, timeout)((run) => run('select 1'))
    outages.served()
    return null
  } catch (error) {
    // A pool with free connections is no reason to wait, so the server is silent.
    const cause = error instanceof UnavailableError ? { name: error.reason, code: 'ETIMEDOUT' } : error
    const { answer } = answerError(new LoadError(cause))
    return answer instanceof UnavailableError ? answer.reason : 'database'
  }
}
