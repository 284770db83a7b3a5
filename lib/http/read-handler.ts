import type { Request, RequestHandler, Response } from 'express'
import type { FilledOptions } from '../config'
import { notFound } from '../errors'
import type { Model } from '../schema'
import type { Authorize } from './authorize'
import { makeDeadline, type Deadline } from '../read'
import { answerRequest, type FleetingResponse } from './answer-request'
import type { Content } from './content'
import { rewritingsOf } from './extension'
import { onceOver, sendBody, sendUnchanged } from './send'
import type { ReadRoute } from './read-route'
import { queryReader, type ReadQuery } from './rewrite-query'
import { type CacheHeaders, cacheHeadersOf } from './cache-headers'
import { asHolding } from './limits'
import type { Observing } from './observing'

interface ServedRoute {
  readonly content: Content
  readonly authorize: Authorize
  readonly observing: Observing | null
  readonly model: Model
  readonly route: ReadRoute
  readonly cacheHeaders: CacheHeaders
  readonly readQuery: ReadQuery | null
}

export function readHandler(
  content: Content,
  { authorize, observing }: Pick<ServedRoute, 'authorize' | 'observing'>,
  { model, route }: Pick<ServedRoute, 'model' | 'route'>,
): RequestHandler {
  const { settings } = content
  const compresses = settings.cache?.compress === true
  const cacheHeaders = cacheHeadersOf({ ...settings, compresses }, model)
  const readQuery = queryReader(rewritingsOf(settings.extensions), settings.timeout)
  const served = { content, authorize, observing, model, route, cacheHeaders, readQuery }
  return (req, res, next) => {
    // The host may have answered meanwhile, such as a middleware that bounds the time of all requests.
    if (res.headersSent) return
    const rights = authorize.rightsOf(req)
    // Paths with a hidden attribute are unknown paths.
    if (route.leads?.(req, rights) === false) {
      cacheHeaders.refuse(res)
      next('route')
      return
    }
    const stop = makeDeadline(rights.limits.timeout)
    onceOver(res, stop.stop)
    respond(served, req, res, stop).catch((error: unknown) => {
      // Errors depend on the caller and the moment, also those that the host sends.
      if (!res.headersSent) cacheHeaders.refuse(res)
      next(error)
    })
  }
}

async function respond(served: ServedRoute, req: Request, res: Response, stop: Deadline): Promise<void> {
  const answer = await answerTo(served, req, res, stop)
  if (res.headersSent) return
  const { content, authorize, observing, route, cacheHeaders } = served
  const isForOne = route.isPersonal || observing?.of(req)?.addsMeta() === true
  if (answer === null || isForOne || mayNotBeKept(answer, content)) cacheHeaders.refuse(res)
  else {
    const { isPublic, isPersonal } = authorize.rightsOf(req)
    cacheHeaders.set(res, { isPublic, isPersonal, headers: answer.kind === 'body' ? answer.headers : null })
  }
  if (answer === null) res.status(204).end()
  else if (answer.kind === 'unchanged') sendUnchanged(res, answer.etag)
  else sendBody(res, answer.bytes, answer)
}

async function answerTo(
  { content, authorize, observing, model, route, readQuery }: ServedRoute,
  req: Request,
  res: Response,
  stop: Deadline,
): Promise<FleetingResponse | null> {
  const rights = authorize.rightsOf(req)
  const observation = observing?.of(req) ?? null
  const { asks, manner, formats, takesQuery, absent } = route
  try {
    const answer = await answerRequest(content, {
      model,
      asked: asks(req, rights),
      ...rights,
      manner,
      format: formats === 'v5' ? 'v5' : formatOf(req, content.settings),
      text: takesQuery ? ((await readQuery?.(req, rights.limits.query)) ?? textOf(req)) : '',
      conditions: {
        ifNoneMatch: req.headers['if-none-match'],
        acceptEncoding: req.headers['accept-encoding'],
      },
      stop,
      observation,
    })
    if (answer === null && absent === 404) throw notFound()
    return answer
  } catch (error) {
    throw asHolding(rights.limits, error)
  } finally {
    stop.finish()
    if (!res.headersSent) observation?.emit({ kind: 'headers', req, res })
  }
}

/** Strapi's header for its older responses; any other value means the present form. */
export const formatOf = (req: Request, { olderFormat }: Pick<FilledOptions, 'olderFormat'>): 'v4' | 'v5' =>
  olderFormat && req.headers['strapi-response-format'] === 'v4' ? 'v4' : 'v5'

/** The `query parser` setting of the host application has no effect on it. */
function textOf({ url }: Request): string {
  const mark = url.indexOf('?')
  return mark < 0 ? '' : url.slice(mark + 1)
}

const mayNotBeKept = (answer: FleetingResponse, { sharedHeaders }: Content): boolean =>
  answer.isFleeting === true || (sharedHeaders !== null && answer.kind === 'body' && answer.headers === null)
