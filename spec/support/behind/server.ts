// A process of its own, which an error that nobody catches ends as it ends a host's: routers, each behind each stack.
import { once } from 'node:events'
import { createServer, type ServerOptions } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import express, { type ErrorRequestHandler, type Request } from 'express'
import type { Knex } from 'knex'
import { contentRouter, type ContentRouter, type ContentRouterConfig } from '../../../lib'
import { weigh } from '../weigh'
import { pathTo, type StackName, stacks } from './stacks'
import { observe, type ObserveOptions } from '../../../extensions/observe'

export interface Given {
  readonly contentTypes: ContentRouterConfig['contentTypes']
  readonly database: Knex.Config
}

interface KindOptions extends Partial<ContentRouterConfig> {
  readonly observed?: ObserveOptions
}

const kinds = {
  plain: {},
  tagged: { etag: true },
  cached: { cache: {} },
  compressed: { cache: { compress: true } },
  'not to be transformed': { headers: { '*': { cacheControl: 'max-age=60, no-transform' } } },
  timed: { observed: { serverTiming: true } },
  explained: { observed: { explain: (req: Request) => waited(req, 'x-explain-after', true) } },
} satisfies Readonly<Record<string, KindOptions>>

export type Kind = keyof typeof kinds

export type Question = 'close' | 'weigh'

/** From the process that serves. */
export type Told =
  | { readonly ports: { readonly usual: number; readonly strict: number } }
  | { readonly outcome: string; readonly status: number | null; readonly shape: string }
  | { readonly closed: true }
  | { readonly held: number }

const tell = (told: Told): void => {
  process.send?.(told)
}

async function waited<Value>(req: Request, header: string, value: Value): Promise<Value> {
  const milliseconds = Number(req.get(header) ?? 0)
  if (milliseconds > 0) await pause(milliseconds)
  return value
}

/** A host that takes its time to answer what failed. */
const slowErrors: ErrorRequestHandler = (error: { readonly status?: number }, _req, res, next) => {
  if (res.headersSent) {
    next(error)
    return
  }
  res.status(error.status ?? 500)
  res.write('answered ')
  setTimeout(() => res.end('by the host'), 200)
}

async function listen(options: ServerOptions, app: express.Express): Promise<number> {
  const server = createServer({ keepAliveTimeout: 0, ...options }, app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

function routersOf(given: Given): readonly (readonly [string, ContentRouter])[] {
  return Object.entries<KindOptions>(kinds).map(([kind, { observed, ...options }]) => {
    const router = contentRouter({
      ...given,
      permissions: { public: { find: '*' } },
      role: (req) => waited(req, 'x-role-after', 'public'),
      extensions: [
        observe({
          onRequest: ({ outcome, status, shape }) => {
            tell({ outcome, status, shape: shape?.text ?? '' })
          },
          ...observed,
        }),
      ],
      ...options,
    })
    return [kind, router]
  })
}

async function serve(given: Given): Promise<void> {
  const routers = routersOf(given)
  const app = express()
  for (const [stack, make] of Object.entries(stacks)) {
    for (const [kind, router] of routers) {
      const layers = [...make(), router]
      app.use(pathTo(stack as StackName, kind), ...layers)
    }
  }
  app.use(slowErrors)
  const usual = await listen({}, app)
  // Throws where a body is written that HEAD or a 304 must not have.
  const strict = await listen({ rejectNonStandardBodyWrites: true }, app)
  process.on('message', (question: Question) => {
    if (question === 'weigh')
      void weigh().then((bytes) => {
        tell({ held: bytes })
      })
    else
      void Promise.all(routers.map(([, router]) => router.close())).then(() => {
        tell({ closed: true })
      })
  })
  process.on('disconnect', () => process.exit(0))
  tell({ ports: { usual, strict } })
}

void serve(JSON.parse(process.argv[2] ?? '{}') as Given)
