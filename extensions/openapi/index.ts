import type { RequestHandler, Request } from 'express'
import { type Extension, type Core, grantedReadings, mayRead, sendObject, sendPrivate } from '../../lib/http'
import { makeMemory, once } from '../../lib/memory'
import { type Bytes, inOnePiece } from '../../lib/json'
import type { ReadAction } from '../../lib/config'
import { faultsOfValues, type Model, type ValueCheck } from '../../lib/schema'
import { describeApi } from './api-document'

interface ServedType {
  readonly uid: string
  readonly kind: string
  /** Path of the list, or of the entry of a single type. */
  readonly path?: string
  readonly one?: string
}

/** Empty if the role may read nothing of the type. */
function servedType(model: Model, may: (action: ReadAction) => boolean, at: string): ServedType[] {
  const { uid, kind, route } = model
  if (route === null) return []
  const path = `${at}/${route}`
  const lists = may('find')
  const ones = kind === 'collectionType' && may('findOne')
  if (!lists && !ones) return []
  return [{ uid, kind, ...(lists ? { path } : {}), ...(ones ? { one: `${path}/:documentId` } : {}) }]
}

/** The readable types of the caller's role, at the paths of this host. */
function indexHandler({ settings, rightsOf }: Core): RequestHandler {
  const models = [...settings.schema.models.values()]
  return (req: Request, res) => {
    const { grants } = rightsOf(req)
    const data = models.flatMap((model) => {
      const may = (action: ReadAction): boolean => mayRead(settings, grants, model, action)
      return servedType(model, may, req.baseUrl)
    })
    sendObject(res, { data, meta: {} })
  }
}

/** Bytes of all cached documents. A document larger than an eighth of it is made for each request. */
const maxBytes = 32 * 1024 * 1024

/** Sends the document of the caller's role. Roles with equal grants share one. */
function documentHandler({ settings, rightsOf }: Core): RequestHandler {
  const models = [...settings.schema.models.values()]
  const kept = makeMemory<Bytes>({ maxBytes, bytesOf: ({ length }) => length })
  return (req, res) => {
    const rights = rightsOf(req)
    const url = req.baseUrl === '' ? '/' : req.baseUrl
    const readings = models.map((model) =>
      grantedReadings(settings.extensions, rights, model).map(({ name }) => name),
    )
    const body = once(kept, JSON.stringify([rights.grants.key, rights.limits.key, url, readings]), () => {
      const document = describeApi(settings, rights, { url })
      return inOnePiece(Buffer.from(JSON.stringify(document)))
    })
    sendPrivate(res, body)
  }
}

export { type ApiDocument, documentOf } from './api-document'
export { describe, type DescribeOptions } from './describe'

/** Contains the options of `openapi`. */
export interface OpenApiOptions {
  /** Sets the path of the OpenAPI document below the mount path, by default `/openapi.json`. */
  readonly path?: `/${string}`
}

const checks: Readonly<Record<keyof OpenApiOptions, ValueCheck>> = {
  path: {
    fits: (value) => typeof value === 'string' && value.startsWith('/'),
    problem: 'the option path must start with /',
    remedy: `write a path such as '/openapi.json'`,
  },
}

/**
 * Serves an OpenAPI document of the types that the caller's role can read. The mount path returns a list of the types.
 */
export function openapi(options: OpenApiOptions = {}): Extension {
  const { path = '/openapi.json' } = options
  return {
    name: 'openapi',
    check: () => faultsOfValues('openapi', options, checks),
    routes: [
      { path: '/', handler: indexHandler },
      { path, handler: documentHandler },
    ],
  }
}
