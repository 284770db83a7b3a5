import type { Request, RequestHandler, Response } from 'express'
import { notFound } from '../errors'
import type { Model } from '../schema'
import type { Authorize } from './authorize'
import { makeStop, type Stop } from '../load'
import type { Asking, FleetingAnswer } from './answer-request'
import type { Content } from './content'
import { rewritingsOf } from './extension'
import { onceOver, sendBody, sendNothing, sendUnchanged } from './send'
import { formatOf, type ReadRoute } from './read-route'
import { queryReader } from './rewrite-query'
import { cacheHeadersOf, type SentAnswer } from './cache-headers'
import { asHolding } from './limits'
import type { Observing } from './observing'
import type { Rights } from './rights'

const conditionsOf = ({ headers }: Request): Asking['conditions'] => ({
  ifNoneMatch: headers['if-none-match'],
  acceptEncoding: headers['accept-encoding'],
})

function sendAnswer(res: Response, given: FleetingAnswer | null): void {
  if (given === null) sendNothing(res)
  else if (given.kind === 'unchanged') sendUnchanged(res, given.etag)
  else sendBody(res, given.bytes, given)
}

const sentAnswer = (
  given: FleetingAnswer,
  { isPublic, isPersonal }: Pick<Rights, 'isPublic' | 'isPersonal'>,
): SentAnswer => ({
  isPublic,
  isPersonal,
  headers: given.kind === 'body' ? given.headers : null,
})

const mayNotBeKept = (given: FleetingAnswer, { needsSharedHeaders }: Content): boolean =>
  given.isFleeting === true || (needsSharedHeaders && given.kind === 'body' && given.headers === null)

interface ReadLayers {
  readonly authorize: Authorize
  readonly observing: Observing
}

/** Of which type the entries of a route are. */
export interface ServedRoute {
  readonly model: Model
  readonly route: ReadRoute
}

type AnswerTo = (req: Request, stop: Stop) => Promise<FleetingAnswer | null>

function answerReader(
  content: Content,
  { authorize: { rightsOf }, observing }: ReadLayers,
  { model, route: { asks, manner, formats, takesQuery, absent } }: ServedRoute,
): AnswerTo {
  const { extensions, timeout } = content.settings
  const readQuery = queryReader(rewritingsOf(extensions), timeout)
  const answer: AnswerTo = async (req, stop) => {
    const rights = rightsOf(req)
    const asking: Asking = {
      model,
      asked: asks(req, rights),
      ...rights,
      manner,
      format: formats === 'v5' ? 'v5' : formatOf(req, content.settings),
      text: takesQuery ? await readQuery(req, rights.limits.query) : '',
      conditions: conditionsOf(req),
      stop,
      observation: observing.of(req),
    }
    const body = await content.answer(asking)
    if (body === null && absent === 404) throw notFound()
    return body
  }
  return (req, stop) =>
    answer(req, stop).catch((error: unknown) => {
      throw asHolding(rightsOf(req).limits, error)
    })
}

export function readHandler(content: Content, layers: ReadLayers, served: ServedRoute): RequestHandler {
  const { authorize, observing } = layers
  const { rightsOf } = authorize
  const { leads, isPersonal } = served.route
  const { cache } = content.settings
  const compresses = cache?.compress === true
  const cacheHeaders = cacheHeadersOf({ ...content.settings, compresses }, served.model)
  const answer = answerReader(content, layers, served)

  return (req, res, next) => {
    // The host may have answered meanwhile, such as a middleware that bounds the time of all requests.
    if (res.headersSent) return
    // To whoever may not know the attribute in it, a path is none: what the host says to that is for nobody else.
    if (leads?.(req, rightsOf(req)) === false) {
      cacheHeaders.refuse(res)
      next('route')
      return
    }
    const stop = makeStop(rightsOf(req).limits.timeout)
    // A client that went away needs no answer, and the database is to look for none.
    onceOver(res, stop.stop)
    answer(req, stop)
      .finally(() => {
        stop.finish()
        if (!res.headersSent) observing.of(req)?.emit({ kind: 'headers', req, res })
      })
      .then((given) => {
        if (res.headersSent) return
        const isForOne = isPersonal || observing.of(req)?.addsMeta() === true
        if (given === null || isForOne || mayNotBeKept(given, content)) cacheHeaders.refuse(res)
        else cacheHeaders.set(res, sentAnswer(given, rightsOf(req)))
        sendAnswer(res, given)
      })
      .catch((error: unknown) => {
        // What is not found is not found until somebody writes it, or somebody else asks. The host may answer errors of its own.
        if (!res.headersSent) cacheHeaders.refuse(res)
        next(error)
      })
  }
}
