import type { RequestHandler } from 'express'
import { makeMemory, once } from '../../lib/memory'
import { type Bytes, inOnePiece } from '../../lib/shape'
import { type Core, sendToAsker } from '../../lib/http'
import { describeApi } from './describe-api'

/** Of documents for those who may do different things; one that is larger than an eighth is made at each request. */
const maxBytes = 32 * 1024 * 1024

/** What the asking role may read. Whoever may do the same is told the same, so that what grants are made of need not last. */
export function documentHandler({ settings, rightsOf }: Core): RequestHandler {
  const kept = makeMemory<Bytes>({ maxBytes, bytesOf: ({ length }) => length })
  return (req, res) => {
    const { grants, limits } = rightsOf(req)
    const url = req.baseUrl === '' ? '/' : req.baseUrl
    const body = once(kept, JSON.stringify([grants.key, limits.key, url]), () => {
      const document = describeApi(settings, { grants, limits }, { url })
      return inOnePiece(Buffer.from(JSON.stringify(document)))
    })
    sendToAsker(res, body)
  }
}
