import { setImmediate } from 'node:timers/promises'
import type { Grants } from '../access'
import { type Answers, makeAnswers } from '../cache'
import { makeCompiler } from '../compile'
import { type FilledOptions, bodyChanging } from '../config'
import { type Database, type DialectName, driverOf, poolSize } from '../database'
import { type Freshness, makeFreshness } from '../freshness'
import { type Load, makeLoader, ownConnection, preparedStatements } from '../load'
import type { Model } from '../schema'
import { answerInObjects, answerRequest, type Asking, type FleetingAnswer } from './answer-request'
import { raiseAnswerError } from './errors'
import { knowTables } from './known-tables'
import { makePrepare } from './prepare'
import { makeQueue, type Queue } from './queue'
import { type ReadRights, rightsReader } from './rights'
import type { Settings } from './settings'
import { mayRead } from './withheld-types'
import type { RunningExtensions } from './extension'

/** The package's, as bodies of different versions may differ. */
export const version = '0.1.0'

function plain(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  return value instanceof Map ? [...(value as Map<unknown, unknown>)] : value
}

/** Equal for routers that answer alike from the same rows: in every process of a cluster, and after a restart. */
export function fingerprintOf(settings: Settings, dialect: DialectName): string {
  const { schema, queries, defaults } = settings
  return JSON.stringify(
    [version, dialect, [...schema.models.values()], bodyChanging(settings), queries, defaults],
    plain,
  )
}

/** What one router serves: from the text of a query to the body of its answer. */
export interface Content {
  readonly settings: Settings
  readonly database: Database
  readonly freshness: Freshness
  readonly answers: Answers
  readonly rights: ReadRights
  /** Whether shared caches may store only what an extension gives headers for. */
  readonly needsSharedHeaders: boolean
  answer(asking: Asking): Promise<FleetingAnswer | null>
  /** As objects that are whoever asks' own; null where there is nothing to show. */
  objects(asking: Asking): Promise<unknown>
}

/** How many requests may wait in a burst. */
const mostWaiting = 100

/**
 * Under overload as many wait as run: then no answer takes much more than twice as long as it has to.
 *
 * A driver in this process holds it until it has read, so what came meanwhile is seen only if each answer waits for a
 * turn of the event loop.
 */
function queueFor({ queue, logger }: Settings, database: Database): Queue {
  const { maxRunning = poolSize(database), maxWaiting = mostWaiting } = queue
  const maxWaitingWhileRefusing = Math.min(queue.maxWaiting ?? maxRunning, maxWaiting)
  const limits = { maxRunning, maxWaiting, maxWaitingWhileRefusing }
  return makeQueue(limits, logger, driverOf(database).isInProcess ? { turn: setImmediate } : {})
}

/** Without a word on it, where there is a cache. */
export const areTagged = ({ etag, cache }: Pick<FilledOptions, 'etag' | 'cache'>): boolean =>
  etag ?? cache !== null

export function makeContent(
  settings: Settings,
  database: Database,
  { follower, sharedHeaders }: Pick<RunningExtensions, 'follower' | 'sharedHeaders'>,
): Content {
  const { schema, logger, cache, timeout } = settings
  const etag = areTagged(settings)
  const prepared = preparedStatements(database, settings)
  const freshness = makeFreshness(database, ownConnection(database, prepared, timeout), {
    schema,
    logger,
    freshness: cache?.freshness ?? (etag ? 'strict' : null),
    follower,
  })
  const tables = knowTables(database, settings)
  const answers = makeAnswers(freshness, {
    cache,
    etag,
    fingerprint: fingerprintOf(settings, database.dialect),
  })
  const prepare = makePrepare(settings, database, makeCompiler(database, schema, settings.textMatching))
  const queue = queueFor(settings, database)
  const loader = makeLoader(database, prepared, (sql) => {
    logger.debug({ sql }, 'statement')
  })
  const load: Load = async (...asked) => {
    const loaded = await loader(...asked)
    settings.outage.over()
    return loaded
  }

  const stages = {
    tables,
    prepare,
    answers,
    queue,
    totals: freshness.totals,
    load,
    sharedHeaders,
    mayName: (grants: Grants, model: Model) =>
      model.open || (['find', 'findOne'] as const).some((action) => mayRead(settings, grants, model, action)),
  }

  return {
    settings,
    database,
    freshness,
    answers,
    needsSharedHeaders: sharedHeaders !== null,
    rights: rightsReader(settings, database),
    answer: (asking) => answerRequest(stages, asking).catch(raiseAnswerError),
    objects: (asking) => answerInObjects(stages, asking).catch(raiseAnswerError),
  }
}
