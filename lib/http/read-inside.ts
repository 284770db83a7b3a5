import { type Identity, rolesGiven, showsColumn } from '../access'
import type { Role, ReadAction } from '../config'
import { forbidden, notFound, RequestError, UnavailableError, malformed } from '../errors'
import { askOnce } from '../freshness'
import { makeDeadline } from '../read'
import type { Model, Schema } from '../schema'
import { type QueryLimits, type RawObject, readHostQuery, UnfitQuery } from '../query'
import { once } from '../memory'
import type { InsideOptions, PlainReader } from '../reader'
import type { Asked } from '../plan'
import { readObjects } from './answer-request'
import { makeAnswerError, raiseLoadError, raiseTold } from './errors'
import type { InFlight } from './queue'
import { asHolding, makeLimiting } from './limits'
import type { Observation } from './observing'
import { type Rights, mayRead, readRights } from './rights'
import { contentManner, askedDocumentId, identifyingColumn } from './routes'
import type { Serving, Settling } from './settle'
import type { Settings } from './settings'

/** The path of a request in the process. `asks` rejects unknown paths before, hidden attributes after the role is known. */
interface InsidePath {
  readonly type: string
  readonly kind: Model['kind']
  readonly action: ReadAction
  readonly asks: (model: Model) => (rights: Rights) => Asked
}

const modelsByRoute = new WeakMap<Schema, ReadonlyMap<string, Model>>()

function modelAt(schema: Schema, { type, kind }: InsidePath): Model {
  const models = once(modelsByRoute, schema, () => {
    const served = [...schema.models.values()]
    return new Map(served.flatMap((one) => (one.route === null ? [] : [[one.route, one] as const])))
  })
  const model = models.get(type)
  if (model?.kind !== kind) throw notFound()
  return model
}

/** Unknown attributes are reported as over HTTP: once the role is known. */
function askedBy(attribute: string, value: string | number): InsidePath['asks'] {
  return (model) => {
    if (value === '') throw notFound()
    return ({ grants }) => {
      const column = identifyingColumn(model, attribute)
      if (column === null || !showsColumn(grants, model, column)) throw notFound()
      return { kind: 'by', column, value: String(value) }
    }
  }
}

function queryOf(query: unknown, limits: QueryLimits): string | RawObject {
  if (query === undefined) return ''
  if (typeof query === 'string') return query.replace(/^\?/, '')
  try {
    return readHostQuery(query as object, limits)
  } catch (error) {
    throw error instanceof UnfitQuery ? malformed(error.path, `Invalid query: ${error.problem}`) : error
  }
}

/** Copies the query at the call, as its caller may change it. Its faults are for roles that may read the type. */
function heldQuery(query: unknown, limits: QueryLimits): () => string | RawObject {
  try {
    const held = queryOf(query, limits)
    return () => held
  } catch (error) {
    return () => {
      throw error
    }
  }
}

interface InsideAsking extends InsidePath {
  readonly identity: Identity
  readonly query: ReturnType<typeof heldQuery>
  readonly signal: AbortSignal | undefined
}

interface InsideReading extends Omit<InsideAsking, 'asks'> {
  readonly serving: Serving
  readonly model: Model
  readonly asks: ReturnType<InsidePath['asks']>
}

async function readWithin(reading: InsideReading, observation: Observation | null): Promise<unknown> {
  const { model, action, asks, query, identity, signal } = reading
  const { content } = reading.serving
  observation?.emit({ kind: 'caller', identity })
  const rights = await readRights(content.rights, identity, askOnce(content.freshness.state)).catch(raiseTold)
  if (!mayRead(content.settings, rights.grants, model, action)) throw forbidden()
  signal?.throwIfAborted()
  const stop = makeDeadline(rights.limits.timeout)
  signal?.addEventListener('abort', stop.stop, { once: true })
  try {
    const objects = await readObjects(content, {
      ...rights,
      ...{ manner: contentManner, format: 'v5', model },
      conditions: { ifNoneMatch: undefined, acceptEncoding: undefined },
      asked: asks(rights),
      text: query(),
      ...{ stop, observation },
    })
    if (objects === null) throw notFound()
    return objects
  } catch (error) {
    throw asHolding(rights.limits, error)
  } finally {
    signal?.removeEventListener('abort', stop.stop)
    stop.finish()
  }
}

/** Callers may write to their error, and requests may share one. */
const ownError = (error: RequestError): RequestError => {
  const { status, message, details, name } = error
  if (error instanceof UnavailableError) return new UnavailableError(error.reason, message)
  return new RequestError(status, message, structuredClone(details), name)
}

async function ending(
  reading: Promise<unknown>,
  observation: Observation | null,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  try {
    const answer = await reading
    observation?.emit({ kind: 'end', status: 200, reason: null })
    return answer
  } catch (error) {
    const reason = error instanceof UnavailableError ? error.reason : null
    // Errors of the host would be a 500 over HTTP.
    const status = error instanceof RequestError ? error.status : 500
    observation?.emit({ kind: 'end', status: signal?.aborted === true ? null : status, reason })
    throw error
  }
}

/** Reads as a request of that role would, with its permission, limits, queue, cache and errors, and without HTTP. */
export function readInside(
  settings: Settings,
  { settled }: Settling,
  requests: InFlight,
): (who: Exclude<Role, null>) => PlainReader {
  const limiting = makeLimiting(settings)
  const answerError = makeAnswerError(settings)

  const find = async (asking: InsideAsking): Promise<InsideReading> => {
    const serving = await settled().catch(raiseLoadError)
    const model = modelAt(serving.content.settings.schema, asking)
    return { ...asking, serving, model, asks: asking.asks(model) }
  }
  const read = async (asking: InsideAsking): Promise<never> => {
    const { action, signal } = asking
    const raise = (raised: unknown): never => {
      signal?.throwIfAborted()
      const { error, answer } = answerError(raised)
      throw answer === null ? error : ownError(answer)
    }
    signal?.throwIfAborted()
    const leave = requests.enter()
    try {
      const reading = await find(asking).catch(raise)
      const { serving, model } = reading
      const follow = (observation: Observation | null): Promise<unknown> =>
        ending(readWithin(reading, observation).catch(raise), observation, signal)
      const { observing } = serving
      const answer = observing === null ? follow(null) : observing.follow({ type: model.uid, action }, follow)
      return (await answer) as never
    } finally {
      leave()
    }
  }

  return (who) => {
    const identity: Identity = { kind: 'roles', ...rolesGiven(who) }
    const limits = limiting(identity).query
    const at = (path: InsidePath, query?: object, { signal }: InsideOptions = {}): Promise<never> =>
      read({ ...path, identity, query: heldQuery(query, limits), signal })
    const one = { kind: 'collectionType', action: 'findOne' } as const
    return {
      find: (type, ...asked) =>
        at({ type, kind: 'collectionType', action: 'find', asks: () => () => ({ kind: 'list' }) }, ...asked),
      findOne: (type, id, ...asked) =>
        at({ type, ...one, asks: () => () => ({ kind: 'one', documentId: askedDocumentId(id) }) }, ...asked),
      by: (type, attribute, value, ...asked) =>
        at({ type, ...one, asks: askedBy(attribute, value) }, ...asked),
      single: (type, ...asked) =>
        at({ type, kind: 'singleType', action: 'find', asks: () => () => ({ kind: 'single' }) }, ...asked),
    }
  }
}
