import type { Request, RequestHandler, Response, Router } from 'express'
import { showsColumn } from '../access'
import { methodNotAllowed, notFound } from '../errors'
import type { ReadTarget } from '../plan'
import { makeDeadline, type Deadline } from '../read'
import { largestId, type Model, modelNamed } from '../schema'
import { respondToRequest, type FleetingResponse } from './respond-to-request'
import type { Authorize } from './authorize'
import type { Content } from './content'
import type { Core, CoreRights, CoreSettings, ExtensionRoute, ReadRoute } from './extension'
import { nameRoleLimit } from './limits'
import type { Observing } from './observing'
import { mayReadBy } from './rights'
import { isReadRoute, listReadings, queryReader, type ReadQuery } from './run-extensions'
import { type CacheHeaders, cacheHeadersOf, onceOver, sendBody, sendError, sendUnchanged } from './send'

const otherMethods: RequestHandler = ({ method }, res) => {
  res.setHeader('Allow', 'GET, HEAD, OPTIONS')
  if (method === 'OPTIONS') res.status(204).end()
  else sendError(res, methodNotAllowed())
}

export const contentManner = { lists: 'pages', body: 'data' } as const

/** The id of an entry in a path; null for other texts. */
export function numberOf(param: unknown): number | null {
  if (typeof param !== 'string' || !/^\d{1,10}$/.test(param)) return null
  const number = Number(param)
  return number > largestId ? null : number
}

/** PostgreSQL fails on a text with a NUL, which no document id holds. */
export function requestedDocumentId(param: unknown): string {
  const documentId = String(param)
  if (documentId.includes('\u0000')) throw notFound()
  return documentId
}

/** Strapi's header for its older responses; any other value means the present form. */
const formatOf = (req: Request, { olderFormat }: CoreSettings): 'v4' | 'v5' =>
  olderFormat && req.headers['strapi-response-format'] === 'v4' ? 'v4' : 'v5'

/** Clients of the older format address entries by their numbers. */
function entryAsked(req: Request, settings: CoreSettings): ReadTarget {
  const param = req.params['documentId']
  const id = formatOf(req, settings) === 'v4' ? numberOf(param) : null
  return id === null ? { kind: 'one', documentId: requestedDocumentId(param) } : { kind: 'row', id }
}

/** An entry by the value of a unique attribute. A hidden attribute gets the same response as an unknown one. */
export function entryBy(
  model: Model,
  { grants }: Pick<CoreRights, 'grants'>,
  [attribute, value]: readonly [unknown, unknown],
): ReadTarget | null {
  const column = model.columns.get(String(attribute))
  if (column?.identifies !== true || !showsColumn(grants, model, column)) return null
  return { kind: 'by', column, value: String(value) }
}

/** Every type has this path, because an attribute is looked up only after the role is known. */
function routeByAttribute(model: Model, path: string): ReadRoute {
  const asks = ({ params }: Request, rights: CoreRights): ReadTarget | null =>
    entryBy(model, rights, [params['attribute'], params['value']])
  const leads: ReadRoute['leads'] = (req, rights) => asks(req, rights) !== null
  return { path: `${path}/by/:attribute/:value`, action: 'findOne', manner: contentManner, leads, asks }
}

function routesOf(model: Model, settings: CoreSettings): readonly ReadRoute[] {
  const { kind, route } = model
  if (route === null) return []
  const path = `/${route}`
  const find = { path, action: 'find', manner: contentManner } as const
  if (kind === 'singleType') return [{ ...find, asks: () => ({ kind: 'single' }) }]
  const list = { ...find, asks: (): ReadTarget => ({ kind: 'list' }) }
  // No document id of Strapi or `seed` is the name of a reading.
  const readings = listReadings(settings.extensions).map((reading): ReadRoute => {
    return { ...list, path: `${path}/${reading.name}`, manner: { ...contentManner, reading } }
  })
  const asks = (req: Request): ReadTarget => entryAsked(req, settings)
  const one = { ...find, path: `${path}/:documentId`, action: 'findOne', asks } as const
  return [list, ...readings, one, routeByAttribute(model, path)]
}

type ServedRoute =
  | { readonly model: Model; readonly route: ReadRoute }
  | { readonly model: null; readonly route: ExtensionRoute }

/** Routes of types come first: a type may be called `users`. */
const servedRoutes = (settings: CoreSettings): readonly ServedRoute[] => [
  ...[...settings.schema.models.values()].flatMap((model) =>
    routesOf(model, settings).map((route) => ({ model, route })),
  ),
  ...settings.extensions
    .flatMap(({ routes = [] }) => routes)
    .flatMap((route): ServedRoute[] => {
      if (!isReadRoute(route)) return [{ model: null, route }]
      const model = modelNamed(settings.schema, route.right.type)
      return model === undefined ? [] : [{ model, route }]
    }),
]

export const pathsOf = (settings: CoreSettings): string[] =>
  servedRoutes(settings).map(({ route }) => route.path)

interface RouteLayers {
  readonly content: Content
  readonly core: Core
  readonly authorize: Authorize
  /** Refuses requests after the end was announced. */
  readonly track: RequestHandler
  readonly observing: Observing | null
}

function handlersOf(layers: RouteLayers, { model, route }: ServedRoute): RequestHandler[] {
  const { core, authorize, track, observing } = layers
  if (model === null) return [track, authorize.layer(() => true), route.handler(core)]
  const { settings } = core
  const { action, manner } = route
  const isOfExtension = isReadRoute(route)
  return [
    ...(observing === null ? [] : [observing.begin({ type: model.uid, action })]),
    track,
    isOfExtension
      ? authorize.layer(({ mayAsk }) => !settings.withheld.has(model.uid) && mayAsk(route.right), route.right)
      : authorize.layer((rights) => mayReadBy(settings, rights, model, { action, ...manner })),
    ...(observing === null || isOfExtension ? [] : observing.addMeta),
    readHandler(layers, model, route),
  ]
}

export function addRoutes(router: Router, layers: RouteLayers): void {
  const { settings } = layers.content
  for (const served of servedRoutes(settings))
    router
      .route(served.route.path)
      .get(...handlersOf(layers, served))
      .all(otherMethods)
  if (settings.notFound === 'json')
    router.use((_req, res) => {
      sendError(res, notFound())
    })
}

interface ServedRead extends RouteLayers {
  readonly model: Model
  readonly route: ReadRoute
  readonly cacheHeaders: CacheHeaders
  readonly readQuery: ReadQuery | null
}

function readHandler(layers: RouteLayers, model: Model, route: ReadRoute): RequestHandler {
  const { settings } = layers.content
  const cacheHeaders = cacheHeadersOf(settings, model)
  const readQuery = queryReader(settings.extensions, settings.timeout)
  const served: ServedRead = { ...layers, model, route, cacheHeaders, readQuery }
  return (req, res, next) => {
    // Middleware of the host that bounds the time of all requests may have answered meanwhile.
    if (res.headersSent) return
    const rights = layers.authorize.rightsOf(req)
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

async function respond(served: ServedRead, req: Request, res: Response, stop: Deadline): Promise<void> {
  const answer = await answerTo(served, req, res, stop)
  if (res.headersSent) return
  const { content, authorize, observing, route, cacheHeaders } = served
  const isForOne = route.isPersonal === true || observing?.of(req)?.addsMeta() === true
  const headers = answer?.kind === 'body' ? answer.headers : null
  const lacksHeaders = content.sharedHeaders !== null && answer?.kind === 'body' && headers === null
  if (answer === null || isForOne || answer.isFleeting === true || lacksHeaders) cacheHeaders.refuse(res)
  else cacheHeaders.set(res, { ...authorize.rightsOf(req), headers })
  if (answer === null) res.status(204).end()
  else if (answer.kind === 'unchanged') sendUnchanged(res, answer.etag)
  else sendBody(res, answer.bytes, answer)
}

async function answerTo(
  { content, authorize, observing, model, route, readQuery, cacheHeaders }: ServedRead,
  req: Request,
  res: Response,
  stop: Deadline,
): Promise<FleetingResponse | null> {
  const rights = authorize.rightsOf(req)
  const observation = observing?.of(req) ?? null
  const { asks, manner, ignoresQuery = false, absent = 404 } = route
  const { 'if-none-match': ifNoneMatch, 'accept-encoding': acceptEncoding } = req.headers
  try {
    const asked = asks(req, rights)
    if (asked === null) throw notFound()
    const isPresentFormat = isReadRoute(route) || manner.reading !== undefined
    const answer = await respondToRequest(content, {
      ...{ model, asked, manner },
      ...rights,
      format: isPresentFormat ? 'v5' : formatOf(req, content.settings),
      text: ignoresQuery ? '' : ((await readQuery?.(req, rights.limits.query)) ?? textOf(req)),
      conditions: { ifNoneMatch, acceptEncoding },
      stop,
      observation,
      client: {
        req,
        res,
        begin: () => {
          cacheHeaders.refuse(res)
          observation?.emit({ kind: 'headers', req, res })
        },
      },
    })
    if (answer === null && absent === 404 && !res.headersSent) throw notFound()
    return answer
  } catch (error) {
    throw nameRoleLimit(rights.limits, error)
  } finally {
    stop.finish()
    if (!res.headersSent) observation?.emit({ kind: 'headers', req, res })
  }
}

/** The `query parser` setting of the host application has no effect on it. */
function textOf({ url }: Request): string {
  const mark = url.indexOf('?')
  return mark < 0 ? '' : url.slice(mark + 1)
}
