import type { Request, RequestHandler } from 'express'
import type { Model } from '../schema'
import { inOnePiece } from '../shape'
import type { Authorize } from './authorize'
import type { Content } from './content'
import type { Rights } from './rights'
import { sendBody } from './send'

interface ServedType {
  readonly uid: string
  readonly kind: string
  /** Where its entries are listed, or its only one is. */
  readonly path?: string
  readonly one?: string
}

/** Nothing where the role may read nothing of it, as of a type that is not there. */
function servedType(model: Model, { grants }: Rights, at: string): ServedType[] {
  const { uid, kind, route } = model
  if (route === null) return []
  const path = `${at}/${route}`
  const lists = grants.may(model, 'find')
  const ones = kind === 'collectionType' && grants.may(model, 'findOne')
  if (!lists && !ones) return []
  return [{ uid, kind, ...(lists ? { path } : {}), ...(ones ? { one: `${path}/:documentId` } : {}) }]
}

/** What the asking role may read, with the paths as this host has them. */
export function indexHandler({ settings }: Content, { rightsOf }: Authorize): RequestHandler {
  const models = [...settings.schema.models.values()].filter(({ uid }) => !settings.withheld.has(uid))
  return (req: Request, res) => {
    const rights = rightsOf(req)
    const data = models.flatMap((model) => servedType(model, rights, req.baseUrl))
    res.setHeader('Cache-Control', 'private, no-store')
    const body = Buffer.from(JSON.stringify({ data, meta: {} }))
    sendBody(res, inOnePiece(body), { etag: null, encoding: null })
  }
}
