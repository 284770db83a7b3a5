import type { Response } from 'express'
import type { RequestError } from '../errors'

/** Written without the host's help, so that its settings for ETags and JSON change nothing. */
function send(res: Response, status: number, bytes: Buffer): void {
  res.status(status)
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  res.setHeader('Content-Length', bytes.length)
  res.end(bytes)
}

export interface Headers {
  readonly etag: string | null
  readonly encoding: string | null
}

export function sendBody(res: Response, bytes: Buffer, { etag, encoding }: Headers): void {
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
  send(res, status, Buffer.from(JSON.stringify({ data: null, error: { status, name, message, details } })))
}
