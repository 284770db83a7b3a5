import { type Identity, identityGiven } from '../access'
import type { ReadAction, Role } from '../config'
import { closing, forbidden, malformed, notFound, RequestError, UnavailableError } from '../errors'
import { readStateOnce } from '../freshness'
import type { ReadTarget } from '../plan'
import { type QueryLimits, type RawObject, readHostQuery, UnfitQuery } from '../query'
import { makeDeadline } from '../read'
import type { InsideOptions, PlainReader } from '../reader'
import type { Model, Schema } from '../schema'
import { readObjects } from './respond-to-request'
import { raiseLoadError, raiseHostError } from './errors'
import type { RequestStart, RouteManner } from './extension'
import { nameRoleLimit } from './limits'
import type { Observation } from './observing'
import type { InFlight } from './queue'
import { makeLimiting, mayReadBy, type Rights } from './rights'
import { listReadings } from './run-extensions'
import { requestedDocumentId, contentManner, entryBy } from './routes'
import type { Settings } from './settings'
import type { Serving, Settling } from './settle'

/** The path of a request in the process. */
interface InsidePath {
  readonly type: string
  readonly kind: Model['kind']
  readonly action: ReadAction
  readonly manner: RouteManner
  /** Called once the role is known, because hidden attributes are reported as unknown. Null: no route has this path. */
  readonly asks: ((model: Model, rights: Rights) => ReadTarget | null) | null
}

interface InsideRequest extends InsidePath {
  readonly identity: Identity
  readonly query: () => string | RawObject
  readonly signal: AbortSignal | undefined
}

function modelAt({ models }: Schema, { type, kind, asks }: InsidePath): Model {
  const model = [...models.values()].find(({ route }) => route !== null && route === type)
  if (asks === null || model?.kind !== kind) throw notFound()
  return model
}

/** Copies the query at the call, as its caller may change it. Its faults are for roles that may read the type. */
function copyQuery(query: unknown, limits: QueryLimits): InsideRequest['query'] {
  if (query === undefined) return () => ''
  if (typeof query === 'string') return () => query.replace(/^\?/, '')
  try {
    const copy = readHostQuery(query as object, limits)
    return () => copy
  } catch (error) {
    return () => {
      throw error instanceof UnfitQuery ? malformed(error.path, `Invalid query: ${error.problem}`) : error
    }
  }
}

async function readWithin(
  { content }: Serving,
  { model, action, asks, manner, query, identity, signal }: InsideRequest & { readonly model: Model },
  observation: Observation | null,
): Promise<unknown> {
  observation?.emit({ kind: 'caller', identity })
  const state = readStateOnce(content.freshness.state)
  const rights = await content.readRights(identity, state).catch(raiseHostError)
  if (!mayReadBy(content.settings, rights, model, { action, ...manner })) throw forbidden()
  signal?.throwIfAborted()
  const stop = makeDeadline(rights.limits.timeout)
  signal?.addEventListener('abort', stop.stop, { once: true })
  try {
    const asked = asks?.(model, rights)
    if (!asked) throw notFound()
    const objects = await readObjects(content, {
      ...rights,
      format: 'v5',
      conditions: {},
      text: query(),
      ...{ model, asked, manner, stop, observation, client: null },
    })
    if (objects === null) throw notFound()
    return objects
  } catch (error) {
    throw nameRoleLimit(rights.limits, error)
  } finally {
    signal?.removeEventListener('abort', stop.stop)
    stop.finish()
  }
}

/** Callers may write to their error, and requests may share one. */
function ownError(error: RequestError): RequestError {
  const { status, message, details, name } = error
  if (error instanceof UnavailableError) return new UnavailableError(error.reason, message)
  return new RequestError(status, message, structuredClone(details), name)
}

/** Reads under the eyes of the observers. */
async function readObserved(
  { observing }: Serving,
  { signal, ...start }: RequestStart & Pick<InsideRequest, 'signal'>,
  read: (observation: Observation | null) => Promise<unknown>,
): Promise<unknown> {
  const readOne = async (observation: Observation | null): Promise<unknown> => {
    try {
      const objects = await read(observation)
      observation?.emit({ kind: 'end', status: 200, reason: null })
      return objects
    } catch (error) {
      const reason = error instanceof UnavailableError ? error.reason : null
      // Errors of the host would be a 500 over HTTP.
      const status = error instanceof RequestError ? error.status : 500
      observation?.emit({ kind: 'end', status: signal?.aborted === true ? null : status, reason })
      throw error
    }
  }
  return observing?.follow(start, readOne) ?? readOne(null)
}

/** Reads as a request of that role would, with its permission, limits, queue, cache and errors, and without HTTP. */
export function readInProcess(
  settings: Settings,
  { now, settled }: Settling,
  requests: InFlight,
): (who: Exclude<Role, null>) => PlainReader {
  const limiting = makeLimiting(settings)
  const readings = listReadings(settings.extensions)

  const read = async (request: InsideRequest): Promise<never> => {
    const { action, signal } = request
    const raise = (raised: unknown): never => {
      signal?.throwIfAborted()
      const { error, answer } = settings.answerError(raised)
      throw answer === null ? error : ownError(answer)
    }
    const find = async (): Promise<readonly [Serving, Model]> => {
      const serving = isEnding ? now() : await settled().catch(raiseLoadError)
      return [serving, modelAt(serving.content.settings.schema, request)]
    }
    signal?.throwIfAborted()
    const isEnding = requests.isEnding()
    const leave = isEnding ? null : requests.enter()
    try {
      const [serving, model] = await find().catch(raise)
      const readOne = async (observation: Observation | null): Promise<unknown> =>
        isEnding ? raise(closing()) : readWithin(serving, { ...request, model }, observation).catch(raise)
      return (await readObserved(serving, { type: model.uid, action, signal }, readOne)) as never
    } finally {
      leave?.()
    }
  }

  return (who) => {
    const identity = identityGiven(who)
    const limits = limiting(identity).query
    const at = (path: InsidePath, query?: object, { signal }: InsideOptions = {}): Promise<never> =>
      read({ ...path, identity, query: copyQuery(query, limits), signal })
    const entries = { kind: 'collectionType', action: 'find', manner: contentManner } as const
    const list = { ...entries, asks: (): ReadTarget => ({ kind: 'list' }) }
    const one = { ...entries, action: 'findOne' } as const
    return {
      read: (type, name, ...asked) => {
        const reading = readings.find((own) => own.name === name)
        if (reading === undefined) return at({ ...list, type, asks: null }, ...asked)
        return at({ ...list, type, manner: { ...contentManner, reading } }, ...asked)
      },
      find: (type, ...asked) => at({ ...list, type }, ...asked),
      findOne: (type, id, ...asked) =>
        at({ ...one, type, asks: () => ({ kind: 'one', documentId: requestedDocumentId(id) }) }, ...asked),
      by: (type, attribute, value, ...asked) => {
        const asks: InsidePath['asks'] = (model, rights) => entryBy(model, rights, [attribute, value])
        return at({ ...one, type, asks: value === '' ? null : asks }, ...asked)
      },
      single: (type, ...asked) =>
        at({ ...entries, type, kind: 'singleType', asks: () => ({ kind: 'single' }) }, ...asked),
    }
  }
}
