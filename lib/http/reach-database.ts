import type { Database } from '../database'
import { RequestError, UnavailableError, type UnavailableReason } from '../errors'
import { ownConnection, unprepared } from '../read'
import { LoadError } from './errors'
import type { Settings } from './settings'

/** Null if the database answers in time. Otherwise the reason, which is logged as for a request. */
export async function reachDatabase(
  { answerError, outage }: Settings,
  database: Database,
  timeout: number,
): Promise<UnavailableReason | null> {
  try {
    await ownConnection(database, unprepared, timeout)((run) => run('select 1'))
    outage.over()
    return null
  } catch (error) {
    const { answer } = answerError(error instanceof RequestError ? error : new LoadError(error))
    return answer instanceof UnavailableError ? answer.reason : 'database'
  }
}
