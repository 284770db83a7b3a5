import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import type { Response, Request } from 'express'
import { type RequestError, UnavailableError, type UnavailableReason } from '../errors'
import { type Bytes, inOnePiece } from '../shape'
import { once } from '../memory'

const left = new WeakMap<Socket, Set<() => void>>()

/** With one listener for a connection, however much is asked over it. */
function waitersOn(socket: Socket): Set<() => void> {
  return once(left, socket, () => {
    const waiters = new Set<() => void>()
    socket.once('close', () => {
      for (const hear of waiters) hear()
    })
    return waiters
  })
}

/** An answer that waits for those before it on its connection has none yet, and hears nothing of a client that leaves. */
const connectionAwaited = (res: Response): Socket | null => (res.socket === null ? res.req.socket : null)

/**
 * Calls when an answer was sent or its client has gone. What stands before the router and streams in place of the response
 * takes listeners to itself, and does not tell them of a client that leaves: this one is given to the response itself.
 */
export function onceOver(res: Response, listener: () => void): void {
  const awaited = connectionAwaited(res)
  if (res.closed || awaited?.destroyed === true) {
    listener()
    return
  }
  const waiters = awaited === null ? null : waitersOn(awaited)
  const hear = (): void => {
    EventEmitter.prototype.off.call(res, 'close', hear)
    waiters?.delete(hear)
    listener()
  }
  EventEmitter.prototype.on.call(res, 'close', hear)
  waiters?.add(hear)
}

/** To be asked when it is over. Node takes for finished what it could no longer send to a client that left. */
export const isSentWhole = (req: Request, res: Response): boolean =>
  res.writableFinished && !req.socket.destroyed

/**
 * Express is not used here, so that its settings for ETags and JSON change nothing. Middleware may replace the methods of
 * the response, so nothing is said about buffering: Node sends in one call what is written in one turn.
 * Nothing waits for the client either: what is written is the body that is held anyhow, not a copy of it.
 */
function send(res: Response, status: number, { pieces, length }: Bytes): void {
  res.status(status)
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  res.setHeader('Content-Length', length)
  // A server can be told to take a body that must not be there for a fault.
  if (res.req.method === 'HEAD') {
    res.end()
    return
  }
  for (const piece of pieces.slice(0, -1)) res.write(piece)
  res.end(pieces.at(-1))
}

/**
 * A strong tag promises the same bytes. What others write in our place is not known, as of compression, which leaves the
 * tag as it is: then it promises the same content.
 */
const tagFor = (res: Response, etag: string): string =>
  Object.hasOwn(res, 'write') || Object.hasOwn(res, 'end') ? `W/${etag}` : etag

export interface Headers {
  readonly etag: string | null
  readonly encoding: string | null
}

export function sendBody(res: Response, bytes: Bytes, { etag, encoding }: Headers): void {
  if (etag !== null) res.setHeader('ETag', tagFor(res, etag))
  if (encoding !== null) res.setHeader('Content-Encoding', encoding)
  send(res, 200, bytes)
}

/** Takes the place of what the host said before of all answers: it may not hold for the next who asks. */
export function keepFromCaches(res: Response): void {
  if (!res.headersSent) res.setHeader('Cache-Control', 'private, no-store')
}

/** What depends on who asks, whatever the types say of their caching. */
export function sendToAsker(res: Response, bytes: Bytes): void {
  keepFromCaches(res)
  sendBody(res, bytes, { etag: null, encoding: null })
}

export function sendUnchanged(res: Response, etag: string): void {
  res.setHeader('ETag', tagFor(res, etag))
  res.status(304).end()
}

export function sendNothing(res: Response): void {
  res.status(204).end()
}

const reasons = new WeakMap<Response, UnavailableReason>()

/** Why the response is a 503; null of others. */
export const reasonOf = (res: Response): UnavailableReason | null => reasons.get(res) ?? null

export function sendError(res: Response, error: RequestError): void {
  const { status, name, message, details } = error
  if (error instanceof UnavailableError) reasons.set(res, error.reason)
  if (status === 503) res.setHeader('Retry-After', '1')
  // A cache would give it to somebody who may see what was asked for.
  keepFromCaches(res)
  const body = JSON.stringify({ data: null, error: { status, name, message, details } })
  send(res, status, inOnePiece(Buffer.from(body)))
}
