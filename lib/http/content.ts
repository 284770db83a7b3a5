import { setImmediate } from 'node:timers/promises'
import { makeResponses } from '../cache'
import { bodyChanging, type FilledOptions } from '../config'
import { type Database, type DialectName, driverOf, poolSize } from '../database'
import { makeFreshness } from '../freshness'
import { makeLoader, ownConnection, preparedStatements } from '../read'
import { makeTableFacts } from './table-facts'
import { makePlanner } from './plan-request'
import { makeQueue, type Queue } from './queue'
import { makeReadRights } from './rights'
import type { RunningExtensions } from './run-extensions'
import type { Settings } from './settings'

/** The package's, as bodies of different versions may differ. */
export const version = '0.1.0'

function plain(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  return value instanceof Map ? [...(value as Map<unknown, unknown>)] : value
}

/** Equal for routers that answer alike from the same rows: in every process of a cluster, and after a restart. */
export function fingerprintOf(settings: Settings, dialect: DialectName): string {
  const { schema, queries, defaults, extensions } = settings
  const texts = extensions.flatMap(({ textMatching }) => textMatching?.key ?? [])
  return JSON.stringify(
    [version, dialect, [...schema.models.values()], bodyChanging(settings), queries, defaults, ...texts],
    plain,
  )
}

export const areTagged = ({ etag, cache }: Pick<FilledOptions, 'etag' | 'cache'>): boolean =>
  etag ?? cache !== null

export function makeContent(
  settings: Settings,
  database: Database,
  { follower, sharedHeaders }: Pick<RunningExtensions, 'follower' | 'sharedHeaders'>,
) {
  const { schema, logger, cache, timeout } = settings
  const etag = areTagged(settings)
  const prepared = preparedStatements(database, settings)
  const least = cache?.freshness ?? (etag ? 'strict' : null)
  const own = ownConnection(database, prepared, timeout)
  const freshness = makeFreshness(database, own, { schema, logger, freshness: least, follower })
  const fingerprint = fingerprintOf(settings, database.dialect)
  return {
    settings,
    database,
    readRights: makeReadRights(settings, database),
    tables: makeTableFacts(database, settings),
    planner: makePlanner(settings, database),
    freshness,
    responses: makeResponses(freshness, { cache, etag, fingerprint }),
    queue: queueFor(settings, database),
    loader: makeLoader(database, prepared, logger),
    /** Null: shared caches need no headers. Otherwise they may store only what has these. */
    sharedHeaders,
  }
}

export type Content = ReturnType<typeof makeContent>

/**
 * Under overload as many requests wait as run, which doubles the latency at most. A driver in this process
 * blocks the event loop. So each request first waits for one turn of the loop, in which other requests can arrive.
 */
function queueFor({ queue }: Settings, database: Database): Queue {
  const { maxRunning = poolSize(database), maxWaiting = 100 } = queue
  const maxWaitingWhileRefusing = Math.min(queue.maxWaiting ?? maxRunning, maxWaiting)
  const limits = { maxRunning, maxWaiting, maxWaitingWhileRefusing }
  return makeQueue(limits, driverOf(database).isInProcess ? { turn: setImmediate } : {})
}
