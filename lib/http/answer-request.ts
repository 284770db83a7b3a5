import { setImmediate } from 'node:timers/promises'
import {
  type Answer,
  type Answers,
  type Conditions,
  type ReadBody,
  type ReadBytes,
  type RowsRead,
  uncached,
} from '../cache'
import type { KnownTotals } from '../freshness'
import {
  basisOf,
  checkEntries,
  countEntries,
  type Load,
  type LoadedAnswer,
  type ReadFrom,
  type Stop,
} from '../load'
import type { Grants } from '../access'
import type { Model } from '../schema'
import { type Bytes, encode, joinedBytes } from '../shape'
import type { Facts } from '../tables'
import type { SharedHeaders, RunningExtensions } from './extension'
import type { KnownTables } from './known-tables'
import type { Observation } from './observing'
import type { AskingForPlan, Prepare, PreparedPlan } from './prepare'
import type { Queue } from './queue'

/** A request whose role is known and may read the type. */
export interface Asking extends AskingForPlan {
  readonly conditions: Conditions
  readonly stop: Stop
  /** Null without observers. */
  readonly observation: Observation | null
}

export interface AnswerStages {
  readonly tables: KnownTables
  readonly prepare: Prepare
  readonly answers: Answers
  readonly queue: Queue
  readonly totals: KnownTotals
  readonly load: Load
  readonly sharedHeaders: RunningExtensions['sharedHeaders']
  /** Whether a type may be named to whoever has these rights. */
  readonly mayName: (grants: Grants, model: Model) => boolean
}

/** `isFleeting`: an extension changed its rows, so no cache keeps it. */
export type FleetingAnswer = Answer & { readonly isFleeting?: true }

interface PlannedAnswer {
  readonly stages: AnswerStages
  readonly plan: PreparedPlan
  readonly asking: Asking
}

interface LoadedFrom extends LoadedAnswer {
  readonly from: ReadFrom | null
}

async function loadBody(
  { stages: { totals, load }, plan: { compiled }, asking: { observation, limits, asker } }: PlannedAnswer,
  ...[stop, learn]: Parameters<ReadBody>
): Promise<LoadedFrom> {
  let readFrom: ReadFrom | null = null
  const onConnection: typeof learn = async (read) => {
    readFrom = read.from
    await learn?.(read)
  }
  const name = (): string | null => {
    const key = compiled.telling().key()
    return key === null ? null : key + asker.key
  }
  const total = observation?.addsMeta()
    ? null
    : await totals.find(name, () => basisOf([compiled.total], new Map()))
  const { maxEntries } = limits
  const loaded = await load(compiled, stop, {
    emit: observation?.emit ?? null,
    total,
    onConnection,
    asker,
    maxEntries,
  })
  totals.counted(name, loaded.total)
  return { ...loaded, from: readFrom }
}

function headersOf({ stages, asking }: PlannedAnswer, { rows, from }: LoadedFrom): SharedHeaders | null {
  const { sharedHeaders, mayName } = stages
  if (sharedHeaders === null || from === null) return null
  const { asked, grants } = asking
  return sharedHeaders({
    tables: from.tables,
    isNamedOnce: from.isNamedOnce,
    documentId: asked.kind === 'one' ? asked.documentId : null,
    rows,
    mayName: (model) => mayName(grants, model),
  })
}

/** Lists of lists can show many times more entries than were read. */
function counted({ asking: { limits, observation } }: PlannedAnswer, loaded: LoadedAnswer): RowsRead {
  observation?.enter('write')
  const entries = countEntries(loaded.rows)
  checkEntries(entries.total, limits.maxEntries)
  return { loaded, entries }
}

const turnUntil = (stop: Stop) => async (): Promise<void> => {
  await setImmediate()
  if (stop.isStopped()) await stop.stopped
}

/** Once the last request that waits for it has gone, a body is not written to its end. */
async function writeBody(
  { plan: { write }, asking: { observation } }: PlannedAnswer,
  { loaded, entries }: RowsRead,
  stop: Stop,
): Promise<Bytes | null> {
  const texts = write(loaded, entries, observation?.meta() ?? null)
  const body = texts === null ? null : await encode(texts, turnUntil(stop))
  observation?.enter(null)
  return body
}

const putBody: PutAnswer<ReadBytes | null> = async (planned, loaded, stop) => {
  // What is written is forgotten.
  const headers = headersOf(planned, loaded)
  const bytes = await writeBody(planned, counted(planned, loaded), stop)
  return bytes && { bytes, headers }
}

/** What equal requests of those for whom the same rows may be seen share. */
const keyOf = ({ plan: { key }, asking: { asker } }: PlannedAnswer): string => key + asker.key

type PutAnswer<Put> = (planned: PlannedAnswer, loaded: LoadedFrom, stop: Stop) => Put | Promise<Put>

const reading =
  <Put>(planned: PlannedAnswer, put: PutAnswer<Put>) =>
  async (...from: Parameters<ReadBody>): Promise<Put> => {
    const { stages, plan } = planned
    const [stop] = from
    const leave = await stages.queue.enter(stop)
    try {
      const loaded = await loadBody(planned, ...from)
      if (plan.changeRows !== null) await Promise.race([plan.changeRows(loaded), stop.stopped])
      return await put(planned, loaded, stop)
    } finally {
      leave()
    }
  }

const fleeting = (answer: Answer | null): FleetingAnswer | null =>
  answer === null ? null : { ...answer, isFleeting: true }

/** By no state, so that it is neither kept nor tagged. */
async function answerFleeting(read: ReadBody, planned: PlannedAnswer): Promise<FleetingAnswer | null> {
  const { stages, asking } = planned
  const { conditions, stop } = asking
  const { answers } = stages
  const key = keyOf(planned)
  const body = await answers.read({ key, state: 'unasked', read }, stop)
  return body === null ? null : fleeting(await answers.offer(key, body, conditions))
}

function planOf(facts: Facts, stages: AnswerStages, asking: Asking): PlannedAnswer {
  const { observation } = asking
  observation?.enter('plan')
  const plan = stages.prepare.plan(asking, facts)
  const { permitted, compiled } = plan
  observation?.emit({
    ...{ kind: 'plan', permitted, compiled },
    removals: () => stages.prepare.removals(asking, facts),
  })
  observation?.enter('wait')
  return { stages, plan, asking }
}

async function answerBy(planned: PlannedAnswer): Promise<FleetingAnswer | null> {
  const { stages, plan, asking } = planned
  const { answers } = stages
  const { observation, conditions, stop } = asking
  const read = reading(planned, putBody)
  // What is added to `meta` is of one reading, and for one reader.
  if (observation?.addsMeta()) {
    const answer = uncached(await read(stop))
    return plan.changeRows === null ? answer : fleeting(answer)
  }
  if (plan.changeRows !== null) return answerFleeting(read, planned)
  const key = keyOf(planned)
  // The question may be one that others wait for, too, and each of them only as long as he may.
  const state = await Promise.race([asking.state(), stop.stopped])
  const unchanged = answers.unchanged(key, state, conditions)
  const kept = unchanged === null ? answers.kept(key, state) : null
  if (unchanged !== null || kept !== null) observation?.emit({ kind: 'cacheHit' })
  if (unchanged !== null) return unchanged
  const body = kept ?? (await answers.read({ key, state, read }, stop))
  return body === null ? null : answers.offer(key, body, conditions)
}

/** What is kept is text, so that each caller has objects of its own. */
const parsed = (answer: Answer | null): unknown =>
  answer?.kind === 'body' ? JSON.parse(joinedBytes(answer.bytes).toString()) : null

async function objectsBy(planned: PlannedAnswer): Promise<unknown> {
  const { stages, plan, asking } = planned
  const { answers } = stages
  const { observation, stop } = asking
  if (answers.areKept && plan.changeRows === null) return parsed(await answerBy(planned))
  const read = reading(planned, counted)
  const rows = await answers.readRows({ key: keyOf(planned), read }, stop)
  if (rows === null) return null
  const made = await plan.objects()(rows.loaded, rows.entries, turnUntil(stop))
  observation?.enter(null)
  return made
}

/** With the tables as they are known; should a table or column not be there, once more with the tables as they are by then. */
async function withTables<Told>(
  stages: AnswerStages,
  asking: Asking,
  answer: (planned: PlannedAnswer) => Promise<Told>,
): Promise<Told> {
  const { tables } = stages
  const { observation } = asking
  observation?.enter('plan')
  const facts = await Promise.race([tables.facts(asking), asking.stop.stopped])
  const answered = async (by: Facts): Promise<Told> => answer(planOf(by, stages, asking))
  try {
    return await answered(facts)
  } catch (error) {
    const renewed = await tables.afterDrift(error, facts, asking)
    return await answered(renewed.facts).catch(renewed.raise)
  } finally {
    observation?.enter(null)
  }
}

/** From a request to what is sent. Null where there is nothing to show. */
export const answerRequest = (stages: AnswerStages, asking: Asking): Promise<FleetingAnswer | null> =>
  withTables(stages, asking, answerBy)

/** The same for who reads in this process, as objects. */
export const answerInObjects = (stages: AnswerStages, asking: Asking): Promise<unknown> =>
  withTables(stages, asking, objectsBy)
