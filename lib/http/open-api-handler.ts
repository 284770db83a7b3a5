import type { RequestHandler } from 'express'
import type { Grants } from '../access'
import { type Bytes, inOnePiece } from '../shape'
import type { Authorize } from './authorize'
import { describeApi } from './describe-api'
import { sendBody } from './send'
import type { Settings } from './settings'

interface KeptDescription {
  readonly key: string
  readonly bytes: Bytes
}

/** What the asking role may read. Roles ask again for what they were told, each of one host. */
export function openApiHandler(settings: Settings, { rightsOf }: Authorize): RequestHandler {
  const kept = new WeakMap<Grants, KeptDescription>()
  return (req, res) => {
    const rights = rightsOf(req)
    const { grants, limits } = rights
    const url = req.baseUrl === '' ? '/' : req.baseUrl
    const key = `${limits.key} ${url}`
    let last = kept.get(grants)
    if (last?.key !== key) {
      const text = JSON.stringify(describeApi(settings, rights, url))
      last = { key, bytes: inOnePiece(Buffer.from(text)) }
      kept.set(grants, last)
    }
    res.setHeader('Cache-Control', 'private, no-store')
    sendBody(res, last.bytes, { etag: null, encoding: null })
  }
}
