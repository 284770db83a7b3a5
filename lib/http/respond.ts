import type { Response } from 'express'
import type { RequestError } from '../errors'

/** Written without the host's help, so that its settings for ETags and JSON change nothing. */
export function send(res: Response, status: number, body: string): void {
  const bytes = Buffer.from(body)
  res.status(status)
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  res.setHeader('Content-Length', bytes.length)
  res.end(bytes)
}

export function sendError(res: Response, { status, name, message, details }: RequestError): void {
  if (status === 503) res.setHeader('Retry-After', '1')
  send(res, status, JSON.stringify({ data: null, error: { status, name, message, details } }))
}
