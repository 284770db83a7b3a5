import type { Request, RequestHandler } from 'express'
import type { ReadAction } from '../../lib/config'
import { type Core, mayRead, sendToAsker } from '../../lib/http'
import type { Model } from '../../lib/schema'
import { inOnePiece } from '../../lib/shape'

interface ServedType {
  readonly uid: string
  readonly kind: string
  /** Where its entries are listed, or its only one is. */
  readonly path?: string
  readonly one?: string
}

/** Nothing where the role may read nothing of it, as of a type that is not there. */
function servedType(model: Model, may: (action: ReadAction) => boolean, at: string): ServedType[] {
  const { uid, kind, route } = model
  if (route === null) return []
  const path = `${at}/${route}`
  const lists = may('find')
  const ones = kind === 'collectionType' && may('findOne')
  if (!lists && !ones) return []
  return [{ uid, kind, ...(lists ? { path } : {}), ...(ones ? { one: `${path}/:documentId` } : {}) }]
}

/** What the asking role may read, with the paths as this host has them. */
export function indexHandler({ settings, rightsOf }: Core): RequestHandler {
  const models = [...settings.schema.models.values()]
  return (req: Request, res) => {
    const { grants } = rightsOf(req)
    const data = models.flatMap((model) => {
      const may = (action: ReadAction): boolean => mayRead(settings, grants, model, action)
      return servedType(model, may, req.baseUrl)
    })
    sendToAsker(res, inOnePiece(Buffer.from(JSON.stringify({ data, meta: {} }))))
  }
}
