import type { Request, RequestHandler } from 'express'
import { notFound, RequestError } from '../errors'
import type { Asked } from '../plan'
import type { Model } from '../schema'
import type { Authorize } from './authorize'
import { makeStop, type Stop } from '../load'
import type { Asking, FleetingAnswer } from './answer-request'
import { askedQueryReader } from './asked-query'
import type { Content } from './content'
import { LoadError } from './errors'
import { HostError } from './host-error'
import { onceOver } from './once-over'
import { sendBody, sendUnchanged } from './send'
import { cacheHeadersOf } from './cache-headers'
import type { Observing } from './observing'

/** Strapi's header for its older answers; any other value means the present form. */
const formatOf = (req: Request): 'v4' | 'v5' => (req.headers['strapi-response-format'] === 'v4' ? 'v4' : 'v5')

const conditionsOf = ({ headers }: Request): Asking['conditions'] => ({
  ifNoneMatch: headers['if-none-match'],
  acceptEncoding: headers['accept-encoding'],
})

/** Whether it is known whose error it is. */
const isTold = (error: unknown): boolean =>
  [RequestError, LoadError, HostError].some((kind) => error instanceof kind)

interface ReadLayers {
  readonly authorize: Authorize
  readonly observing: Observing
}

/** What a route serves: which entries of a type. */
export interface ReadRoute {
  readonly model: Model
  readonly asks: (req: Request) => Asked
}

export function readHandler(
  content: Content,
  { authorize: { rightsOf }, observing }: ReadLayers,
  { model, asks }: ReadRoute,
): RequestHandler {
  const { role, headers, cache } = content.settings
  const askedQuery = askedQueryReader(content.settings)
  const cacheHeaders = cacheHeadersOf({ role, headers, compresses: cache?.compress === true }, model)

  const answer = async (req: Request, stop: Stop): Promise<FleetingAnswer> => {
    const rights = rightsOf(req)
    const asking: Asking = {
      model,
      asked: asks(req),
      ...rights,
      format: formatOf(req),
      text: await askedQuery(req, rights.limits.query),
      conditions: conditionsOf(req),
      stop,
      recorder: observing.of(req),
    }
    const body = await content.answer(asking).catch((error: unknown) => {
      throw isTold(error) ? error : new LoadError(error)
    })
    if (body === null) throw notFound()
    return body
  }
  return (req, res, next) => {
    // The host may have answered meanwhile, such as a middleware that bounds the time of all requests.
    if (res.headersSent) return
    const stop = makeStop(rightsOf(req).limits.timeout)
    // A client that went away needs no answer, and the database is to look for none.
    onceOver(res, stop.stop)
    answer(req, stop)
      .finally(() => {
        stop.finish()
        observing.head(req, res)
      })
      .then((given) => {
        if (res.headersSent) return
        if (given.isFleeting === true) cacheHeaders.refuse(res)
        else cacheHeaders.set(res, rightsOf(req).isPublic, given.etag !== null)
        if (given.kind === 'unchanged') sendUnchanged(res, given.etag)
        else sendBody(res, given.bytes, given)
      })
      .catch(next)
  }
}
