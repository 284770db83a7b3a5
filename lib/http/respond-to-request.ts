import { setImmediate } from 'node:timers/promises'
import type { ContentResponse, Conditions, ReadBody, ReadBytes, RowsRead } from '../cache'
import {
  basisOf,
  checkEntries,
  countEntries,
  runReading,
  loadBatch,
  type LoadedRows,
  loadRows,
  type OnConnection,
  type ReadFrom,
  type Deadline,
  makeDeadline,
  type Run,
} from '../read'
import { encode, joinedBytes } from '../json'
import type { Removal } from '../plan'
import { compilePlan } from '../sql'
import type { Facts } from '../tables'
import type { Content } from './content'
import { LoadError, raiseResponseError } from './errors'
import type { BodySource, ListStream, ReadEntries, SharedHeaders } from './extension'
import type { Observation } from './observing'
import { type PlanRequest, planRequest, removalsOf } from './plan-request'
import { mayName } from './rights'
import { rowChanges } from './run-extensions'

type StreamClient = Pick<ListStream, 'req' | 'res' | 'begin'>

/** A request whose role is known and may read the type. */
export interface ReadRequest extends PlanRequest {
  readonly conditions: Conditions
  readonly stop: Deadline
  /** Null in the process. */
  readonly client: StreamClient | null
  /** Null without observers. */
  readonly observation: Observation | null
}

/** `isFleeting`: an extension changed its rows, so no cache keeps it. */
export type FleetingResponse = ContentResponse & { readonly isFleeting?: true }

type Respond<T> = (content: Content, request: ReadRequest) => Promise<T>

/** The response to a request, in order: tables, plan, cache, rows, text. Null where there is nothing to show. */
export const respondToRequest: Respond<FleetingResponse | null> = respondBy(answerPlanned)

/** The same as objects, for reads in the process. */
export const readObjects: Respond<unknown> = respondBy(objectsPlanned)

function respondBy<T>(read: (planned: PlannedRequest) => Promise<T>): Respond<T> {
  return async (content, request) => {
    const { tables } = content
    const { observation } = request
    try {
      observation?.enter('plan')
      const facts = await tables.current(request)
      try {
        return await read(planned(content, request, facts))
      } catch (error) {
        // Tables may have changed since they were read.
        const renewed = await tables.afterDrift(request, { error, before: facts })
        return await read(planned(content, request, renewed.facts)).catch(renewed.raise)
      } finally {
        observation?.enter(null)
      }
    } catch (error) {
      return raiseResponseError(error)
    }
  }
}

function planned(content: Content, request: ReadRequest, facts: Facts) {
  const { planner } = content
  const { observation } = request
  observation?.enter('plan')
  const plan = planRequest(planner, request, facts)
  const { permitted, compiled } = plan
  const removals = (): readonly Removal[] => removalsOf(planner, request, facts)
  observation?.emit({ kind: 'plan', permitted, compiled, removals })
  observation?.enter('wait')
  return { content, plan, request }
}

type PlannedRequest = ReturnType<typeof planned>

async function answerPlanned(planned: PlannedRequest): Promise<FleetingResponse | null> {
  const { content, plan, request } = planned
  const { responses } = content
  const { observation, conditions, stop, client } = request
  if (plan.stream !== null) return client && streamPlanned(planned, client)
  // Members that are added to `meta` are for one caller.
  if (observation?.addsMeta()) {
    const body = await readBody(planned)(stop)
    return body && { kind: 'body', ...body, encoding: null, etag: null }
  }
  const key = keyOf(planned)
  const read = readBody(planned)
  if (plan.changeRows !== null) {
    // Rows that an extension changes have no state, so the response is neither cached nor tagged.
    const body = await responses.read({ key, state: 'unasked', read }, stop)
    return body && { ...(await responses.offer(key, body, conditions)), isFleeting: true }
  }
  // Other requests may wait for this state too, each until its own timeout.
  const state = await Promise.race([request.state(), stop.stopped])
  const unchanged = responses.unchanged(key, state, conditions)
  const kept = unchanged === null ? responses.kept(key, state) : null
  if (unchanged !== null || kept !== null) observation?.emit({ kind: 'cacheHit' })
  if (unchanged !== null) return unchanged
  const body = kept ?? (await responses.read({ key, state, read }, stop))
  return body && responses.offer(key, body, conditions)
}

const keyOf = ({ plan: { key }, request: { asker } }: PlannedRequest): string => key + asker.key

async function objectsPlanned(planned: PlannedRequest): Promise<unknown> {
  const { content, plan, request } = planned
  const { responses, queue } = content
  const { observation, stop } = request
  if (request.manner.reading !== undefined || (responses.areKept && plan.changeRows === null)) {
    // Each caller gets objects of its own, so text is cached.
    const answer = await answerPlanned(planned)
    return answer?.kind === 'body' ? JSON.parse(joinedBytes(answer.bytes).toString()) : null
  }
  const read = (from: Deadline): Promise<RowsRead> =>
    queue.run(from, async () => counted(planned, await readRows(planned, from)))
  const rows = await responses.readRows({ key: keyOf(planned), state: 'unasked', read }, stop)
  if (rows === null) return null
  const made = await plan.writing.objects(plan.compiled)(rows.loaded, rows.entries, turnUntil(stop))
  observation?.enter(null)
  return made
}

/** Reads the rows in its turn, and writes them. `stop` ends it once the last request that waits for it has gone. */
function readBody(planned: PlannedRequest): ReadBody {
  const { content, plan, request } = planned
  const { observation } = request
  return (stop, onConnection) =>
    content.queue.run(stop, async () => {
      if (request.manner.reading !== undefined && plan.reading !== null)
        return readReading(planned, plan.reading, stop, onConnection)
      const loaded = await readRows(planned, stop, onConnection)
      // Headers first: rows are dropped as they are written.
      const headers = headersOf(planned, loaded)
      const { entries } = counted(planned, loaded)
      const texts = plan.write(loaded, entries, observation?.meta() ?? null)
      const bytes = texts && (await encode(texts, turnUntil(stop)))
      observation?.enter(null)
      return bytes && { bytes, headers }
    })
}

/** Reads the body of a path of an extension. */
async function readReading(
  planned: PlannedRequest,
  reading: ReadEntries,
  stop: Deadline,
  learn?: OnConnection,
): Promise<ReadBytes> {
  const { content, request } = planned
  const { observation, asker } = request
  let from: ReadFrom | null = null
  const onConnection: OnConnection = async (read) => {
    from = read.from
    await learn?.(read)
  }
  const emit = observation?.emit ?? null
  const read = (run: Run): Promise<object> => reading(run, [])
  const snapshot = reading.runsOneStatement !== true
  const body = await runReading(content.loader, read, { snapshot, stop, emit, asker, onConnection })
  content.settings.outages.served()
  observation?.enter('write')
  const headers = headersOf(planned, { rows: null, from })
  const bytes = await encode([JSON.stringify(body)], turnUntil(stop))
  observation?.enter(null)
  return { bytes, headers }
}

/** Null: the extension has sent the response. An error behind its first byte breaks the connection. */
async function streamPlanned(planned: PlannedRequest, client: StreamClient): Promise<null> {
  const { content, plan, request } = planned
  const { planner, queue, loader, settings } = content
  const { stop, asker, observation, limits } = request
  const { res } = client
  // A race with a promise that outlives it keeps its result in memory. So each snapshot races with one of its own.
  const open = new Set<Deadline>()
  stop.stopped.catch(() => {
    for (const one of open) one.stop()
  })
  const inSnapshot: ListStream['inSnapshot'] = (use) =>
    queue.run(stop, () => {
      const own = { ...makeDeadline(Infinity), endsAt: stop.endsAt }
      open.add(own)
      if (stop.isStopped()) own.stop()
      const wasSent = res.headersSent
      const readOn = (run: Run, connection: object): ReturnType<typeof use> =>
        use(async (page) => {
          const compiled = compilePlan(planner.compiler, { ...plan.permitted, page })
          const batch = { ...limits, compiled, dialect: planner.dialect, run, connection }
          const { loaded, last } = await loadBatch(batch)
          settings.outages.served()
          await rowChanges(settings.extensions, compiled)?.(loaded)
          return { compiled, last, ...counted(planned, loaded) }
        }).catch((error: unknown) => {
          if (res.headersSent === wasSent) throw error
          // The response has begun, so the read cannot be repeated.
          return raiseResponseError(error)
        })
      const emit = observation?.emit ?? null
      const options = { snapshot: true, stop: own, emit, asker, onConnection: undefined }
      return runReading(loader, readOn, options).finally(() => open.delete(own))
    })
  const sending = plan.stream?.({ ...client, ...plan, database: content.database, stop, inSnapshot })
  try {
    await Promise.race([sending, stop.stopped])
    return null
  } catch (error) {
    if (!res.headersSent) throw error
    res.destroy()
    // All errors are logged, because the client sees no status.
    if (!stop.isStopped()) throw error instanceof LoadError ? error : new LoadError(error)
    return stop.stopped
  }
}

interface LoadedFrom extends LoadedRows {
  readonly from: ReadFrom | null
}

async function readRows(
  { content, plan, request }: PlannedRequest,
  stop: Deadline,
  learn?: OnConnection,
): Promise<LoadedFrom> {
  const { freshness, loader, settings } = content
  const { compiled, changeRows, reading: beside } = plan
  const { observation, limits, asker } = request
  let from: ReadFrom | null = null
  const onConnection: OnConnection = async (read) => {
    from = read.from
    await learn?.(read)
  }
  const name = (): string | null => {
    const key = compiled.totalKey()
    return key === null ? null : key + asker.key
  }
  const total = observation?.addsMeta()
    ? null
    : await freshness.totals.find(name, () => basisOf([compiled.total], new Map()))
  const { maxEntries } = limits
  const emit = observation?.emit ?? null
  const options = { stop, emit, total, onConnection, asker, maxEntries, beside }
  const read = await loadRows(loader, compiled, options)
  settings.outages.served()
  freshness.totals.counted(name, read.total)
  const loaded = { ...read, from }
  if (changeRows !== null) await Promise.race([changeRows(loaded), stop.stopped])
  return loaded
}

function headersOf(
  { content, request }: PlannedRequest,
  { rows, from }: Pick<LoadedFrom, 'from'> & Pick<BodySource, 'rows'>,
): SharedHeaders | null {
  const { sharedHeaders, settings } = content
  if (sharedHeaders === null || from === null) return null
  const { asked, grants } = request
  return sharedHeaders({
    tables: from.tables,
    isNamedOnce: from.isNamedOnce,
    documentId: asked.kind === 'one' ? asked.documentId : null,
    rows,
    mayName: (model) => mayName(settings, grants, model),
  })
}

/** Lists of lists can show many times more entries than were read. */
function counted({ request: { limits, observation } }: PlannedRequest, loaded: LoadedRows): RowsRead {
  observation?.enter('write')
  const entries = countEntries(loaded.rows)
  checkEntries(entries.total, limits.maxEntries)
  return { loaded, entries }
}

const turnUntil = (stop: Deadline) => async (): Promise<void> => {
  await setImmediate()
  if (stop.isStopped()) await stop.stopped
}
