import type { Request, RequestHandler, Router } from 'express'
import type { ReadAction } from '../config'
import { methodNotAllowed, notFound } from '../errors'
import type { Asked } from '../plan'
import type { Model } from '../schema'
import { type Authorize } from './authorize'
import type { Content } from './content'
import { readHandler } from './read'
import { sendError } from './respond'
import type { Watching } from './watching'

const allowed = 'GET, HEAD, OPTIONS'

const options: RequestHandler = (_req, res) => {
  res.setHeader('Allow', allowed)
  res.status(204).end()
}

const otherMethods: RequestHandler = (_req, res) => {
  res.setHeader('Allow', allowed)
  sendError(res, methodNotAllowed())
}

interface Route {
  readonly path: string
  readonly action: ReadAction
  readonly asks: (req: Request) => Asked
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

/** PostgreSQL fails on a text with a NUL, which no document id holds. */
function documentIdOf(param: unknown): string {
  const documentId = String(param)
  if (documentId.includes('\u0000')) throw notFound()
  return documentId
}

interface RouteLayers {
  /** Refuses what comes too late. */
  readonly track: RequestHandler
  readonly watching: Watching
}

export function addRoutes(
  router: Router,
  content: Content,
  authorize: Authorize,
  { track, watching }: RouteLayers,
): void {
  for (const model of content.settings.schema.models.values()) {
    for (const { path, action, asks } of routesOf(model)) {
      router
        .route(path)
        .get(
          ...watching.begin(model, action),
          track,
          authorize.layer(model, action),
          ...watching.askToExplain,
          readHandler(content, { authorize, watching }, model, asks),
        )
        .options(options)
        .all(otherMethods)
    }
  }
}
