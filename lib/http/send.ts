import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import type { Response, Request } from 'express'
import type { FilledOptions, TypeHeaders } from '../config'
import { type RequestError, UnavailableError, type UnavailableReason } from '../errors'
import { type Bytes, inOnePiece } from '../json'
import { once } from '../memory'
import { reachableFrom, type Model, type Schema } from '../schema'
import type { CoreSettings, SharedHeaders } from './extension'

const left = new WeakMap<Socket, Set<() => void>>()

/** One listener for a connection, as requests on it are many. */
function waitersOn(socket: Socket): Set<() => void> {
  return once(left, socket, () => {
    const waiters = new Set<() => void>()
    socket.once('close', () => {
      for (const hear of waiters) hear()
    })
    return waiters
  })
}

/**
 * Calls when a response was sent or its client has gone. Middleware that streams in place of the response may replace
 * `on`, and not call listeners if the client leaves.
 */
export function onceOver(res: Response, listener: () => void): void {
  // Pipelined responses have no socket yet, and get no event if the client leaves.
  const awaited = res.socket === null ? res.req.socket : null
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

/** Node calls a response finished, too, if its client had left. */
export const isSentWhole = (req: Request, res: Response): boolean =>
  res.writableFinished && !req.socket.destroyed

/**
 * Express's settings for ETags and JSON must not apply. Middleware may replace methods of the response, so `cork` is
 * avoided: Node sends all writes of one turn in one call. Back-pressure would save nothing: the body is not a copy.
 */
function send(res: Response, status: number, { pieces, length }: Bytes): void {
  res.status(status)
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  res.setHeader('Content-Length', length)
  // Node's `rejectNonStandardBodyWrites` throws on a body here.
  if (res.req.method === 'HEAD') {
    res.end()
    return
  }
  for (const piece of pieces.slice(0, -1)) res.write(piece)
  res.end(pieces.at(-1))
}

/** A strong tag promises the same bytes, and middleware that replaces `write` may compress them. */
const tagFor = (res: Response, etag: string): string =>
  Object.hasOwn(res, 'write') || Object.hasOwn(res, 'end') ? `W/${etag}` : etag

export function sendBody(
  res: Response,
  bytes: Bytes,
  { etag, encoding }: Readonly<Record<'etag' | 'encoding', string | null>>,
): void {
  if (etag !== null) res.setHeader('ETag', tagFor(res, etag))
  if (encoding !== null) res.setHeader('Content-Encoding', encoding)
  send(res, 200, bytes)
}

/** Replaces a header of the host, as the response may differ for another caller. */
export function keepFromCaches(res: Response): void {
  if (!res.headersSent) res.setHeader('Cache-Control', 'private, no-store')
}

export function sendPrivate(res: Response, bytes: Bytes): void {
  keepFromCaches(res)
  sendBody(res, bytes, { etag: null, encoding: null })
}

export const sendObject = (res: Response, body: object): void => {
  sendPrivate(res, inOnePiece(Buffer.from(JSON.stringify(body))))
}

export function sendUnchanged(res: Response, etag: string): void {
  res.setHeader('ETag', tagFor(res, etag))
  res.status(304).end()
}

const reasons = new WeakMap<Response, UnavailableReason>()

/** Why the response is a 503; null of others. */
export const reasonOf = (res: Response): UnavailableReason | null => reasons.get(res) ?? null

export function sendError(res: Response, error: RequestError): void {
  const { status, name, message, details } = error
  if (error instanceof UnavailableError) reasons.set(res, error.reason)
  if (status === 503) res.setHeader('Retry-After', '1')
  // The next request on this connection would only meet a closed socket.
  if (reasonOf(res) === 'closing') res.setHeader('Connection', 'close')
  // A shared cache would send this error to roles that have the right.
  keepFromCaches(res)
  const body = JSON.stringify({ data: null, error: { status, name, message, details } })
  send(res, status, inOnePiece(Buffer.from(body)))
}

interface SentAnswer {
  readonly isPublic: boolean
  /** True if callers of one role get different responses. */
  readonly isPersonal: boolean
  /** Headers for shared caches; null without any. */
  readonly headers: SharedHeaders | null
}

/** Headers of all types that can be reached: a response may show them, or be filtered or sorted by them. */
export function varyOf(headers: FilledOptions['headers'], schema: Schema, model: Model): readonly string[] {
  // Relations of a large project take long to follow for each route.
  if (Object.values(headers).every(({ vary = [] }) => vary.length === 0)) return []
  return [
    ...new Set([...reachableFrom(schema, [model])].flatMap((one) => headersOf(headers, one).vary ?? [])),
  ]
}

export function headersOf(headers: FilledOptions['headers'], model: Model): TypeHeaders {
  const short = model.route === null ? undefined : headers[model.singularName]
  const named = [headers['*'], short, headers[model.uid]]
  return Object.assign({}, ...named) as TypeHeaders
}

/** Public responses alone may be stored by shared caches; by default, caches have to revalidate. */
export function cacheHeadersOf({ headers: configured, schema, role, cache }: CoreSettings, model: Model) {
  const own = headersOf(configured, model)
  const names = ['Strapi-Response-Format', ...varyOf(configured, schema, model)]
  if (typeof role === 'object') names.push('Authorization')
  if (cache?.compress === true) names.push('Accept-Encoding')
  const vary = names.join(', ')
  const directives = own.cacheControl ?? 'no-cache'
  return {
    /** Replaces configured and earlier headers: no cache may store the response. */
    refuse: (res: Response): void => {
      keepFromCaches(res)
      res.vary(vary)
    },
    set: (res: Response, { isPublic, isPersonal, headers }: SentAnswer): void => {
      const isShared = !isPersonal && (isPublic || own.shared === true)
      if (isShared) for (const [name, value] of Object.entries(headers ?? {})) res.setHeader(name, value)
      const reach = isShared ? 'public' : 'private'
      const before = res.getHeader('Cache-Control')
      // Middleware before this router may know more, but not whose rows these are.
      if (before === undefined || (isPersonal && !String(before).includes('no-store')))
        res.setHeader('Cache-Control', `${reach}, ${directives}`)
      res.vary(vary)
    },
  }
}

export type CacheHeaders = ReturnType<typeof cacheHeadersOf>
