import { setImmediate } from 'node:timers/promises'
import {
  type Answer,
  type Answers,
  type Conditions,
  findNothing,
  type Finding,
  makeAnswers,
  ofOne,
} from '../cache'
import { type Database, poolSize } from '../database'
import {
  checkEntries,
  countEntries,
  type LoadAsking,
  type LoadedAnswer,
  type Loader,
  makeLoader,
  type Stop,
} from '../load'
import { type Bytes, encode } from '../shape'
import { fingerprintOf } from './fingerprint'
import { knowTables } from './known-tables'
import { type AskingForPlan, makePrepare, type PreparedPlan } from './prepare'
import { makeQueue, type Queue } from './queue'
import { type ReadRights, rightsReader } from './rights'
import type { Settings } from './settings'
import type { Watch } from './watch'

/** In which form the answer is wanted, if at all. */
interface Preferring {
  readonly conditions: Conditions
}

/** What one router serves: from the text of a query to the body of its answer. */
export interface Content {
  readonly settings: Settings
  readonly database: Database
  readonly answers: Answers
  readonly rights: ReadRights
  answer(asking: AskingForPlan & Preferring, stop: Stop, watch: Watch | null): Promise<Answer | null>
}

/** Where nobody waits for it any more, a body is not written to its end. */
async function written(
  { write }: PreparedPlan,
  loaded: LoadedAnswer,
  { limits }: AskingForPlan,
  { stop, watch }: { readonly stop: Stop; readonly watch: Watch | null },
): Promise<Bytes | null> {
  watch?.enter('write')
  const entries = countEntries(loaded.rows)
  // Lists of lists can show many times more entries than were read.
  checkEntries(entries.total, limits.maxEntries)
  const texts = write(loaded, entries, watch?.meta() ?? null)
  const turn = async (): Promise<void> => {
    await setImmediate()
    if (stop.isStopped()) await stop.stopped
  }
  const body = texts === null ? null : await encode(texts, turn)
  watch?.enter(null)
  return body
}

/** In a burst. */
const mostWaiting = 100

/**
 * As many as run wait under overload by themselves: then nobody's answer takes much more than twice as long as it has to.
 *
 * SQLite's driver holds the process until it has read, so what came meanwhile is seen only if each answer waits for a
 * turn of the event loop.
 */
function queueFor({ queue, logger }: Settings, database: Database): Queue {
  const { maxRunning = poolSize(database), maxWaiting = mostWaiting } = queue
  const maxWaitingWhileRefusing = Math.min(queue.maxWaiting ?? maxRunning, maxWaiting)
  const limits = { maxRunning, maxWaiting, maxWaitingWhileRefusing }
  return makeQueue(limits, logger, database.dialect === 'sqlite' ? { turn: setImmediate } : {})
}

interface Loading extends Omit<LoadAsking, 'recall'> {
  readonly watch: Watch | null
}

/** With what is known of totals. What is explained is read from beginning to end. */
function loading({ load }: Loader, { totals, sight }: Answers) {
  return async ({ compiled }: PreparedPlan, end: Stop, asking: Loading): Promise<LoadedAnswer> => {
    const recall = asking.watch?.isExplaining() ? null : await totals.recall(compiled)
    const seeing = asking.sight ?? (recall === null ? null : sight())
    const loaded = await load(compiled, end, { ...asking, recall, sight: seeing })
    totals.saw(compiled, loaded.total)
    return loaded
  }
}

export function makeContent(settings: Settings, database: Database): Content {
  const { schema, logger } = settings
  const tables = knowTables(database, schema, settings.defaultLocale === undefined)
  const fingerprint = fingerprintOf(settings, database.dialect)
  const { etag = settings.cache !== null } = settings
  const answers = makeAnswers(database, { ...settings, etag, fingerprint })
  const loader = makeLoader(database, schema, settings, (sql) => {
    logger.debug({ sql }, 'statement')
  })
  const load = loading(loader, answers)
  const prepare = makePrepare(settings, database, loader)
  const queue = queueFor(settings, database)

  return {
    settings,
    database,
    answers,
    rights: rightsReader(settings, database),
    answer: (asking, stop, watch) => {
      const { model, now, conditions } = asking
      watch?.enter('plan')
      return tables.read({ stop, now, model }, async (known) => {
        watch?.enter('plan')
        const prepared = prepare(asking, known)
        watch?.planned(prepared.story)
        watch?.enter('wait')
        const read = (end: Stop, finding: Finding): Promise<Bytes | null> =>
          queue.run(end, async () => {
            const loaded = await load(prepared, end, {
              watch,
              ...finding,
              maxEntries: asking.limits.maxEntries,
            })
            return written(prepared, loaded, asking, { stop: end, watch })
          })
        // An explanation is of one reading, and for one reader.
        const answer = watch?.isExplaining()
          ? ofOne(await read(stop, findNothing))
          : await answers.answer({ key: prepared.key, now, read }, conditions, stop)
        watch?.enter(null)
        return answer
      })
    },
  }
}
