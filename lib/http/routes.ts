import type { RequestHandler, Router } from 'express'
import type { ReadAction } from '../config'
import { methodNotAllowed, notFound } from '../errors'
import type { Model, Schema } from '../schema'
import { type Authorize } from './authorize'
import { indexHandler } from './index-handler'
import type { Content } from './content'
import { readHandler, type ReadRoute } from './read-handler'
import { sendError } from './send'
import type { Observing } from './observing'

const allowed = 'GET, HEAD, OPTIONS'

const options: RequestHandler = (_req, res) => {
  res.setHeader('Allow', allowed)
  res.status(204).end()
}

const otherMethods: RequestHandler = (_req, res) => {
  res.setHeader('Allow', allowed)
  sendError(res, methodNotAllowed())
}

interface Route extends Pick<ReadRoute, 'asks'> {
  readonly path: string
  readonly action: ReadAction
}

function routesOf({ kind, route }: Model): readonly Route[] {
  if (route === null) return []
  const path = `/${route}`
  if (kind === 'singleType') return [{ path, action: 'find', asks: () => ({ kind: 'single' }) }]
  return [
    { path, action: 'find', asks: () => ({ kind: 'list' }) },
    {
      path: `${path}/:documentId`,
      action: 'findOne',
      asks: ({ params }) => ({ kind: 'one', documentId: documentIdOf(params['documentId']) }),
    },
  ]
}

/** Every path that something is served under, or refused. */
export const pathsOf = ({ models }: Schema): string[] =>
  [...models.values()].flatMap((model) => routesOf(model).map(({ path }) => path))

/** PostgreSQL fails on a text with a NUL, which no document id holds. */
function documentIdOf(param: unknown): string {
  const documentId = String(param)
  if (documentId.includes('\u0000')) throw notFound()
  return documentId
}

interface RouteLayers {
  readonly authorize: Authorize
  /** Refuses what comes too late. */
  readonly track: RequestHandler
  readonly observing: Observing
}

/** The path of the mount itself, where the option asks for it. */
function addIndex(router: Router, content: Content, { authorize, track }: RouteLayers): void {
  router
    .route('/')
    .get(track, authorize.anyone, indexHandler(content, authorize))
    .options(options)
    .all(otherMethods)
}

const unknownPath: RequestHandler = (_req, res) => {
  sendError(res, notFound())
}

export function addRoutes(router: Router, content: Content, layers: RouteLayers): void {
  const { authorize, track, observing } = layers
  for (const model of content.settings.schema.models.values()) {
    for (const { path, action, asks } of routesOf(model)) {
      router
        .route(path)
        .get(
          ...observing.begin(model, action),
          track,
          authorize.layer(model, action),
          ...observing.askToExplain,
          readHandler(content, layers, { model, asks }),
        )
        .options(options)
        .all(otherMethods)
    }
  }
  const { index, notFound: unknown } = content.settings
  if (index) addIndex(router, content, layers)
  if (unknown === 'json') router.use(unknownPath)
}
