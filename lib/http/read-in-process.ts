import { type Identity, identityGiven } from '../access'
import type { ReadAction, Role } from '../config'
import { closing, forbidden, malformed, notFound, RequestError, UnavailableError } from '../errors'
import { readStateOnce } from '../freshness'
import { once } from '../memory'
import type { ReadTarget } from '../plan'
import { type QueryLimits, type RawObject, readHostQuery, UnfitQuery } from '../query'
import { makeDeadline } from '../read'
import type { InsideOptions, PlainReader } from '../reader'
import type { Model, Schema } from '../schema'
import { readObjects } from './respond-to-request'
import { raiseLoadError, raiseHostError } from './errors'
import type { RouteManner } from './extension'
import { nameRoleLimit, makeLimiting } from './limits'
import { listReadings } from './list-readings'
import type { Observation } from './observing'
import type { InFlight } from './queue'
import { mayReadBy, type Rights } from './rights'
import { requestedDocumentId, contentManner, entryBy } from './routes'
import type { Settings } from './settings'
import type { Serving, Settling } from './settle'

/** The path of a request in the process. */
interface InsidePath {
  readonly type: string
  readonly kind: Model['kind']
  readonly action: ReadAction
  /** False for a path that no route matches. */
  readonly exists: boolean
  /** Called once the role is known, so that hidden attributes are reported as unknown ones. */
  readonly asks: (model: Model, rights: Rights) => ReadTarget | null
  readonly manner: RouteManner
}

interface InsideRequest extends InsidePath {
  readonly identity: Identity
  readonly query: () => string | RawObject
  readonly signal: AbortSignal | undefined
}

const modelsByRoute = new WeakMap<Schema, ReadonlyMap<string, Model>>()

function modelAt(schema: Schema, { type, kind, exists }: InsidePath): Model {
  const models = once(modelsByRoute, schema, () => {
    const served = [...schema.models.values()]
    return new Map(served.flatMap((one) => (one.route === null ? [] : [[one.route, one] as const])))
  })
  const model = models.get(type)
  if (!exists || model?.kind !== kind) throw notFound()
  return model
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
function copyQuery(query: unknown, limits: QueryLimits): InsideRequest['query'] {
  try {
    const copy = queryOf(query, limits)
    return () => copy
  } catch (error) {
    return () => {
      throw error
    }
  }
}

async function readWithin(
  { content }: Serving,
  model: Model,
  request: InsideRequest,
  observation: Observation | null,
): Promise<unknown> {
  const { action, asks, manner, query, identity, signal } = request
  observation?.emit({ kind: 'caller', identity })
  const state = readStateOnce(content.freshness.state)
  const rights = await content.readRights(identity, state).catch(raiseHostError)
  if (!mayReadBy(content.settings, rights, model, { action, ...manner })) throw forbidden()
  signal?.throwIfAborted()
  const stop = makeDeadline(rights.limits.timeout)
  signal?.addEventListener('abort', stop.stop, { once: true })
  try {
    const asked = asks(model, rights)
    if (asked === null) throw notFound()
    const objects = await readObjects(content, {
      ...rights,
      format: 'v5',
      conditions: { ifNoneMatch: undefined, acceptEncoding: undefined },
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

function emitEnd(observation: Observation | null, error: unknown, signal: AbortSignal | undefined): void {
  const reason = error instanceof UnavailableError ? error.reason : null
  // Errors of the host would be a 500 over HTTP.
  const status = error instanceof RequestError ? error.status : 500
  observation?.emit({ kind: 'end', status: signal?.aborted === true ? null : status, reason })
}

type Raise = (raised: unknown) => never

interface ObservedRequest {
  readonly serving: Serving
  readonly model: Model
  readonly request: InsideRequest
  /** True once the router closes. */
  readonly isEnding: boolean
}

/** Reads under the eyes of the observers. */
async function readObserved(
  { serving, model, request, isEnding }: ObservedRequest,
  raise: Raise,
): Promise<unknown> {
  const { action, signal } = request
  const { observing } = serving
  const read = async (observation: Observation | null): Promise<unknown> => {
    try {
      if (isEnding) raise(closing())
      const objects = await readWithin(serving, model, request, observation).catch(raise)
      observation?.emit({ kind: 'end', status: 200, reason: null })
      return objects
    } catch (error) {
      emitEnd(observation, error, signal)
      throw error
    }
  }
  return observing?.follow({ type: model.uid, action }, read) ?? read(null)
}

/** Reads as a request of that role would, with its permission, limits, queue, cache and errors, and without HTTP. */
export function readInProcess(
  settings: Settings,
  { now, settled }: Settling,
  requests: InFlight,
): (who: Exclude<Role, null>) => PlainReader {
  const limiting = makeLimiting(settings)
  const { answerError } = settings

  const find = async (path: InsidePath): Promise<{ readonly serving: Serving; readonly model: Model }> => {
    const serving = requests.isEnding() ? now() : await settled().catch(raiseLoadError)
    return { serving, model: modelAt(serving.content.settings.schema, path) }
  }
  const read = async (request: InsideRequest): Promise<never> => {
    const { signal } = request
    const raise: Raise = (raised) => {
      signal?.throwIfAborted()
      const { error, answer } = answerError(raised)
      throw answer === null ? error : ownError(answer)
    }
    signal?.throwIfAborted()
    const leave = requests.isEnding() ? null : requests.enter()
    try {
      const { serving, model } = await find(request).catch(raise)
      const isEnding = leave === null
      return (await readObserved({ serving, model, request, isEnding }, raise)) as never
    } finally {
      leave?.()
    }
  }

  return (who) => {
    const identity = identityGiven(who)
    const limits = limiting(identity).query
    const at = (path: InsidePath, query?: object, { signal }: InsideOptions = {}): Promise<never> =>
      read({ ...path, identity, query: copyQuery(query, limits), signal })
    const entry = { exists: true, manner: contentManner } as const
    const list = { ...entry, kind: 'collectionType', action: 'find' } as const
    const single = { ...entry, kind: 'singleType', action: 'find' } as const
    const one = { ...entry, kind: 'collectionType', action: 'findOne' } as const
    const readings = listReadings(settings.extensions)
    return {
      read: (type, name, ...asked) => {
        const reading = readings.find((one) => one.name === name)
        if (reading === undefined) return at({ type, ...list, exists: false, asks: () => null }, ...asked)
        const manner = { ...contentManner, reading }
        return at({ type, ...list, manner, asks: () => ({ kind: 'list' }) }, ...asked)
      },
      find: (type, ...asked) => at({ type, ...list, asks: () => ({ kind: 'list' }) }, ...asked),
      findOne: (type, id, ...asked) =>
        at({ type, ...one, asks: () => ({ kind: 'one', documentId: requestedDocumentId(id) }) }, ...asked),
      by: (type, attribute, value, ...asked) =>
        at(
          {
            ...{ type, ...one, exists: value !== '' },
            asks: (model, rights) => entryBy(model, rights, [attribute, value]),
          },
          ...asked,
        ),
      single: (type, ...asked) => at({ type, ...single, asks: () => ({ kind: 'single' }) }, ...asked),
    }
  }
}
