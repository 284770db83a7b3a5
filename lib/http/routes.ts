import type { Request, RequestHandler, Router } from 'express'
import { showsColumn } from '../access'
import { methodNotAllowed, notFound } from '../errors'
import type { Asked } from '../plan'
import type { Column, Model } from '../schema'
import type { Authorize } from './authorize'
import type { Content } from './content'
import { type Core, extensionRoutes } from './extension'
import { formatOf, readHandler } from './read-handler'
import { numberOf, type ReadRoute } from './read-route'
import { sendError } from './send'
import type { Observing } from './observing'
import type { Settings } from './settings'

const allowed = 'GET, HEAD, OPTIONS'

const options: RequestHandler = (_req, res) => {
  res.setHeader('Allow', allowed)
  res.status(204).end()
}

const otherMethods: RequestHandler = (_req, res) => {
  res.setHeader('Allow', allowed)
  sendError(res, methodNotAllowed())
}

export const contentManner = { lists: 'pages', body: 'data' } as const

const content = {
  manner: contentManner,
  formats: 'any',
  takesQuery: true,
  absent: 404,
  isPersonal: false,
} as const

/** Clients of the older format address entries by their numbers. */
function entryAsked(req: Request, settings: RouteSettings): Asked {
  const param = req.params['documentId']
  const id = formatOf(req, settings) === 'v4' ? numberOf(param) : null
  return id === null ? { kind: 'one', documentId: askedDocumentId(param) } : { kind: 'row', id }
}

export function identifyingColumn({ columns }: Model, name: string): Column | null {
  const column = columns.get(name)
  return column?.identifies === true ? column : null
}

/**
 * One entry by the value of a unique attribute. Every type has this path, and an attribute is looked up only after the role
 * is known. So a hidden attribute gets the same response as an unknown one.
 */
function routeByAttribute(model: Model, path: string): ReadRoute {
  const columnOf = ({ params }: Request): Column | null =>
    identifyingColumn(model, String(params['attribute']))
  return {
    ...content,
    path: `${path}/by/:attribute/:value`,
    action: 'findOne',
    leads: (req, { grants }) => {
      const column = columnOf(req)
      return column !== null && showsColumn(grants, model, column)
    },
    asks: (req) => {
      const column = columnOf(req)
      if (column === null) throw notFound()
      return { kind: 'by', column, value: String(req.params['value']) }
    },
  }
}

function routesOf(model: Model, settings: RouteSettings): readonly ReadRoute[] {
  const { kind, route } = model
  if (route === null) return []
  const path = `/${route}`
  if (kind === 'singleType') return [{ ...content, path, action: 'find', asks: () => ({ kind: 'single' }) }]
  return [
    { ...content, path, action: 'find', asks: () => ({ kind: 'list' }) },
    { ...content, path: `${path}/:documentId`, action: 'findOne', asks: (req) => entryAsked(req, settings) },
    routeByAttribute(model, path),
  ]
}

export const pathsOf = (settings: Pick<Settings, 'schema' | 'olderFormat' | 'extensions'>): string[] => [
  ...[...settings.schema.models.values()].flatMap((model) =>
    routesOf(model, settings).map(({ path }) => path),
  ),
  ...extensionRoutes(settings).map(({ path }) => path),
]

/** PostgreSQL fails on a text with a NUL, which no document id holds. */
export function askedDocumentId(param: unknown): string {
  const documentId = String(param)
  if (documentId.includes('\u0000')) throw notFound()
  return documentId
}

type RouteSettings = Pick<Settings, 'olderFormat'>

interface RouteLayers {
  readonly core: Core
  readonly authorize: Authorize
  /** Refuses what comes too late. */
  readonly track: RequestHandler
  readonly observing: Observing | null
}

function addExtensionRoutes(router: Router, content: Content, layers: RouteLayers): void {
  const { core, authorize, track, observing } = layers
  for (const one of extensionRoutes(core.settings)) {
    const served = router.route(one.path)
    if (one.kind === 'handled') served.get(track, authorize.anyone, one.handler(core))
    else {
      const { model, route } = one
      served.get(
        ...(observing === null ? [] : [observing.begin(model, route.action)]),
        track,
        authorize.routeLayer(model, route.right),
        readHandler(content, layers, { model, route }),
      )
    }
    served.options(options).all(otherMethods)
  }
}

/** Routes of types come first: a type may be called `users`. */
export function addRoutes(router: Router, content: Content, layers: RouteLayers): void {
  const { authorize, track, observing } = layers
  const { settings } = content
  for (const model of settings.schema.models.values()) {
    for (const route of routesOf(model, settings)) {
      const { path, action } = route
      router
        .route(path)
        .get(
          ...(observing === null ? [] : [observing.begin(model, action)]),
          track,
          authorize.layer(model, action),
          ...(observing === null ? [] : observing.addMeta),
          readHandler(content, layers, { model, route }),
        )
        .options(options)
        .all(otherMethods)
    }
  }
  addExtensionRoutes(router, content, layers)
  if (settings.notFound === 'json') {
    router.use((_req, res) => {
      sendError(res, notFound())
    })
  }
}
