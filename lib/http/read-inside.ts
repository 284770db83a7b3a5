import { type Identity, rolesGiven } from '../access'
import type { Role } from '../config'
import { forbidden, notFound, RequestError, UnavailableError } from '../errors'
import { askOnce } from '../freshness'
import { makeStop } from '../load'
import type { Model } from '../schema'
import type { PlainReader } from '../typed'
import type { Asking } from './answer-request'
import { makeAnswerError, raiseLoadError, raiseTold } from './errors'
import { heldQuery } from './held-query'
import type { InFlight } from './in-flight'
import { entryPath, type InsidePath, listPath, modelAt, pathBy, singlePath } from './inside-path'
import { asHolding, makeLimiting } from './limits'
import type { Observation } from './observing'
import type { Rights } from './rights'
import { contentManner } from './routes'
import type { Serving } from './serving'
import type { Settings } from './settings'
import type { Settling } from './settle'
import { mayRead } from './withheld-types'

/** What a call in the process may say besides its query. */
export interface InsideOptions {
  /** Ends the reading, and what it asks of the database. */
  readonly signal?: AbortSignal
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
  const rights = await content.rights(identity, askOnce(content.freshness.state)).catch(raiseTold)
  if (!mayRead(content.settings, rights.grants, model, action)) throw forbidden()
  return rights
}

async function objectsRead(reading: InsideReading, asking: Asking): Promise<unknown> {
  const answer = await reading.serving.content.objects(asking)
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

export type ReadInside = (who: Exclude<Role, null>) => PlainReader<InsideOptions>

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
      // Typed by whoever asks: what stands in an answer is not known here.
      return (await serving.observing.follow({ type: model.uid, action }, follow)) as never
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
