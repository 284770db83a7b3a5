import { type Identity, rolesGiven, showsColumn } from '../access'
import type { Role, ReadAction } from '../config'
import { forbidden, notFound, RequestError, UnavailableError, malformed } from '../errors'
import { askOnce } from '../freshness'
import { makeStop } from '../load'
import type { Model, Schema } from '../schema'
import { type QueryLimits, type RawObject, readHostQuery, UnfitQuery } from '../query'
import { once } from '../memory'
import type { InsideOptions, PlainReader } from '../reader'
import type { Asked } from '../plan'
import { readObjects, type ReadRequest } from './answer-request'
import { makeAnswerError, raiseLoadError, raiseTold } from './errors'
import type { InFlight } from './queue'
import { asHolding, makeLimiting } from './limits'
import type { Observation } from './observing'
import { type Rights, mayRead, readRights } from './rights'
import { contentManner, askedDocumentId, identifyingColumn } from './routes'
import type { Serving, Settling } from './settle'
import type { Settings } from './settings'

/** What a path would say: first whether it is one at all, then which entries it means to whoever asks. */
interface InsidePath {
  readonly type: string
  readonly kind: Model['kind']
  readonly action: ReadAction
  readonly asks: (model: Model) => (rights: Rights) => Asked
}

type ModelsByRoute = ReadonlyMap<string, Model>

const known = new WeakMap<Schema, ModelsByRoute>()

const modelsByRoute = ({ models }: Schema): ModelsByRoute =>
  new Map([...models.values()].flatMap((model) => (model.route === null ? [] : [[model.route, model]])))

function modelAt(schema: Schema, { type, kind }: InsidePath): Model {
  const model = once(known, schema, () => modelsByRoute(schema)).get(type)
  if (model?.kind !== kind) throw notFound()
  return model
}

const listPath = (type: string): InsidePath => ({
  ...{ type, kind: 'collectionType', action: 'find' },
  asks: () => () => ({ kind: 'list' }),
})

const singlePath = (type: string): InsidePath => ({
  ...{ type, kind: 'singleType', action: 'find' },
  asks: () => () => ({ kind: 'single' }),
})

const entryPath = (type: string, documentId: string): InsidePath => ({
  ...{ type, kind: 'collectionType', action: 'findOne' },
  asks: () => () => ({ kind: 'one', documentId: askedDocumentId(documentId) }),
})

/** Without its end, it is no path. A name that is none is told as over HTTP: once it is known who asks. */
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

const pathBy = (type: string, ...[attribute, value]: Parameters<typeof askedBy>): InsidePath => ({
  ...{ type, kind: 'collectionType', action: 'findOne' },
  asks: askedBy(attribute, value),
})

type HeldQuery = () => string | RawObject

function queryOf(query: unknown, limits: QueryLimits): string | RawObject {
  if (query === undefined) return ''
  if (typeof query === 'string') return query.replace(/^\?/, '')
  try {
    return readHostQuery(query as object, limits)
  } catch (error) {
    throw error instanceof UnfitQuery ? malformed(error.path, `Invalid query: ${error.problem}`) : error
  }
}

/**
 * A query as it is at the call, whose object its caller may go on writing to. What is wrong with it is told to who may
 * read what it asks for, and so later.
 */
function heldQuery(query: unknown, limits: QueryLimits): HeldQuery {
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

/** Of a type that is served under this name. */
interface InsideReading extends Omit<InsideAsking, 'asks'> {
  readonly serving: Serving
  readonly model: Model
  readonly asks: ReturnType<InsidePath['asks']>
}

/** As of any content, but that nobody asks whether he has it already. */
const plainly = {
  manner: contentManner,
  format: 'v5',
  conditions: { ifNoneMatch: undefined, acceptEncoding: undefined },
} as const

async function rightsIn({ serving: { content }, model, action, identity }: InsideReading): Promise<Rights> {
  const rights = await readRights(content.rights, identity, askOnce(content.freshness.state)).catch(raiseTold)
  if (!mayRead(content.settings, rights.grants, model, action)) throw forbidden()
  return rights
}

async function objectsRead(reading: InsideReading, request: ReadRequest): Promise<unknown> {
  const answer = await readObjects(reading.serving.content, request)
  if (answer === null) throw notFound()
  return answer
}

async function readWithin(reading: InsideReading, observation: Observation | null): Promise<unknown> {
  const { model, asks, query, identity, signal } = reading
  observation?.emit({ kind: 'caller', identity })
  const rights = await rightsIn(reading)
  signal?.throwIfAborted()
  const stop = makeStop(rights.limits.timeout)
  signal?.addEventListener('abort', stop.stop, { once: true })
  try {
    const asked = asks(rights)
    return await objectsRead(reading, {
      ...rights,
      ...plainly,
      model,
      asked,
      text: query(),
      stop,
      observation,
    })
  } catch (error) {
    throw asHolding(rights.limits, error)
  } finally {
    signal?.removeEventListener('abort', stop.stop)
    stop.finish()
  }
}

/** Others may be told of the same error, and callers write to theirs, as templates do. */
const ownError = (error: RequestError): RequestError => {
  const { status, message, details, name } = error
  if (error instanceof UnavailableError) return new UnavailableError(error.reason, message)
  return new RequestError(status, message, structuredClone(details), name)
}

/** As a handler of errors would answer what is the host's. */
const statusOfHosts = 500

const statusOf = (error: unknown): number => (error instanceof RequestError ? error.status : statusOfHosts)

/** Tells hooks how it ended. */
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
    observation?.emit({ kind: 'end', status: signal?.aborted === true ? null : statusOf(error), reason })
    throw error
  }
}

export type ReadInside = (who: Exclude<Role, null>) => PlainReader

/** Reads as a request of that role would, with its permission, limits, queue, cache and errors, and without HTTP. */
export function readInside(settings: Settings, { settled }: Settling, requests: InFlight): ReadInside {
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
      // Typed by whoever asks: what stands in an answer is not known here.
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
    return {
      find: (type, ...asked) => at(listPath(type), ...asked),
      findOne: (type, documentId, ...asked) => at(entryPath(type, documentId), ...asked),
      by: (type, attribute, value, ...asked) => at(pathBy(type, attribute, value), ...asked),
      single: (type, ...asked) => at(singlePath(type), ...asked),
    }
  }
}
