import type { Response } from 'express'
import type { RequestError } from '../errors'
import { type Bytes, inOnePiece } from '../shape'

/** Written without the host's help, so that its settings for ETags and JSON change nothing. */
function send(res: Response, status: number, { pieces, length }: Bytes): void {
  res.status(status)
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  res.setHeader('Content-Length', length)
  // What ends the answer lets go of the cork: head and pieces go out in one call.
  if (pieces.length > 1) res.cork()
  for (const piece of pieces.slice(0, -1)) res.write(piece)
  res.end(pieces.at(-1))
}

export interface Headers {
  readonly etag: string | null
  readonly encoding: string | null
}

export function sendBody(res: Response, bytes: Bytes, { etag, encoding }: Headers): void {
  if (etag !== null) res.setHeader('ETag', etag)
  if (encoding !== null) res.setHeader('Content-Encoding', encoding)
  send(res, 200, bytes)
}

export function sendUnchanged(res: Response, etag: string): void {
  res.setHeader('ETag', etag)
  res.status(304).end()
}

export function sendError(res: Response, { status, name, message, details }: RequestError): void {
  if (status === 503) res.setHeader('Retry-After', '1')
  const body = JSON.stringify({ data: null, error: { status, name, message, details } })
  send(res, status, inOnePiece(Buffer.from(body)))
}
