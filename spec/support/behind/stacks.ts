import { createRequire } from 'node:module'
import type { Readable, Writable } from 'node:stream'
import type { Request, RequestHandler, Response } from 'express'

type Make = (options?: object) => RequestHandler

interface Parsers {
  readonly json: Make
  readonly urlencoded: Make
}

/** What `express-interceptor` asks for each answer. */
interface Interception {
  readonly isInterceptable: () => boolean
  readonly intercept: (body: string, send: (body: string) => void) => void
}

interface Hijacked {
  readonly readable: Readable
  readonly writable: Writable
}

const load = createRequire(__filename)
const express = load('express') as Parsers
const compression = load('compression') as Make
const polkaCompression = load('@polka/compression') as Make
const helmet = load('helmet') as Make
const cors = load('cors') as Make
const morgan = load('morgan') as (format: string, options: object) => RequestHandler
const responseTime = load('response-time') as Make
const session = load('express-session') as Make
const { rateLimit } = load('express-rate-limit') as { readonly rateLimit: Make }
const serverTiming = load('server-timing') as Make
const timeout = load('connect-timeout') as (time: string) => RequestHandler
const etag = load('etag') as (body: string) => string
const intercept = load('express-interceptor') as (
  of: (req: Request, res: Response) => Interception,
) => RequestHandler
const hijack = load('hijackresponse') as (res: Response, next: () => void) => Promise<Hijacked>

/** Tags whatever has no tag yet, once it is whole. It reads bodies as texts, so what is encoded passes by. */
const tagging: RequestHandler = intercept((req, res) => ({
  isInterceptable: () =>
    req.method === 'GET' && !['Content-Encoding', 'ETag'].some((header) => res.hasHeader(header)),
  intercept: (body, send) => {
    if (res.statusCode === 200) res.setHeader('ETag', etag(body))
    if (req.fresh) res.status(304)
    send(req.fresh ? '' : body)
  },
}))

/** Sends on what was written as it comes, from a stream of its own that stands in for the response. */
const streaming: RequestHandler = (_req, res, next) => {
  void hijack(res, next).then(({ readable, writable }) => {
    res.removeHeader('Content-Length')
    readable.pipe(writable)
  })
}

const beginning: RequestHandler = (_req, res, next) => {
  res.flushHeaders()
  next()
}

const timing: RequestHandler = (_req, res, next) => {
  res.append('Server-Timing', 'edge;dur=1')
  next()
}

/** Lets nobody have a session for nothing: each answer is written to the store, and its end waits for that. */
const sessions = (): RequestHandler =>
  session({ secret: 'no secret at all', resave: true, saveUninitialized: true })

const lines = { write: (): void => undefined }

const single = {
  alone: () => [],
  compression: () => [compression()],
  '@polka/compression': () => [polkaCompression()],
  helmet: () => [helmet()],
  cors: () => [cors({ origin: 'https://pages.example' })],
  morgan: () => [morgan('combined', { stream: lines })],
  'response-time': () => [responseTime()],
  'express-session': () => [sessions()],
  'express-rate-limit': () => [rateLimit({ limit: 1_000_000 })],
  'server-timing': () => [serverTiming()],
  'connect-timeout': () => [timeout('20s')],
  'body parsers': () => [express.json(), express.urlencoded({ extended: true })],
  'a host that times': () => [timing],
  'a host that tags bodies': () => [tagging],
  'a host that streams bodies': () => [streaming],
} satisfies Readonly<Record<string, () => RequestHandler[]>>

type SingleName = keyof typeof single

const together = (...names: readonly SingleName[]): RequestHandler[] =>
  names.flatMap((name) => single[name]())

/** What hosts put before a router: real packages, each as its documentation says, alone and many together. */
const whole = {
  ...single,
  'a usual stack': () =>
    together(
      ...(['helmet', 'cors', 'morgan', 'response-time', 'express-rate-limit'] as const),
      ...(['compression', 'body parsers', 'express-session'] as const),
    ),
  'all of them': () =>
    together(
      ...(['connect-timeout', 'helmet', 'cors', 'morgan', 'response-time', 'server-timing'] as const),
      ...(['express-rate-limit', 'compression', 'express-session', 'body parsers'] as const),
      ...(['a host that tags bodies', 'a host that streams bodies'] as const),
    ),
} satisfies Readonly<Record<string, () => RequestHandler[]>>

/** Those behind which every answer is the router's. */
export const stackNames = Object.keys(whole) as (keyof typeof whole)[]

export const stacks = {
  ...whole,
  'a hasty host': () => [timeout('100ms')],
  'a host that sends heads first': () => [beginning],
} satisfies Readonly<Record<string, () => RequestHandler[]>>

export type StackName = keyof typeof stacks

/** Where a router of some kind is found behind a stack. */
export const pathTo = (stack: StackName, kind: string): string =>
  [stack, kind].map((name) => `/${name.replaceAll(/\W+/g, '-')}`).join('')
