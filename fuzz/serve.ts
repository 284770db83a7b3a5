import { once } from 'node:events'
import { Agent, createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { IncomingMessage } from 'node:http'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import express, { type ErrorRequestHandler } from 'express'
import type { Knex } from 'knex'
import { type ContentRouterConfig, contentRouter, strapi5 } from '../lib'
import type { Recording } from '../spec/support/recordings'
import type { Asked } from './grammar'

export interface Answered {
  readonly status: number
  readonly text: string
}

export interface Target {
  ask(asked: Asked): Promise<Answered>
  close(): Promise<void>
}

const roleHeader = 'x-test-role'

/** What the router left to its host: it counts as an answer of ours when it is a failure. */
const hostAnswers: ErrorRequestHandler = (error: { status?: unknown; message?: string }, _req, res, next) => {
  if (res.headersSent) {
    next(error)
    return
  }
  const status = typeof error.status === 'number' ? error.status : 500
  res.status(status).json({ data: null, error: { status, details: { path: '' } }, host: error.message })
}

/** Only what cannot stand in a request line is encoded; everything else goes out as it was made. */
const onTheWire = (path: string): string =>
  path.replace(/[^\x21-\x7e]+/gu, (part) => encodeURIComponent(Buffer.from(part).toString()))

async function askAt(port: number, agent: Agent, { path, role, format }: Asked): Promise<Answered> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const older = format === undefined ? {} : { 'strapi-response-format': format }
    const headers = { [roleHeader]: role, ...older }
    const signal = AbortSignal.timeout(12_000)
    send({ host: '127.0.0.1', port, path: onTheWire(path), agent, headers, signal }, resolve)
      .on('error', reject)
      .end()
  })
  return { status: response.statusCode ?? 0, text: await text(response) }
}

/** The recorded magazine behind two routers, one as Strapi answers and one as the specification says. */
export async function serveMagazine(
  { folder, contentTypes }: Recording,
  database: Knex.Config,
): Promise<Target> {
  const options = JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')) as Pick<
    ContentRouterConfig,
    'permissions' | 'pagination' | 'defaultLocale'
  >
  const common: ContentRouterConfig = {
    ...options,
    contentTypes,
    database,
    drafts: 'open',
    role: (req) => req.get(roleHeader) ?? 'public',
  }
  const routers = [
    contentRouter({ ...common, ...strapi5 }),
    contentRouter({ ...common, nestedPagination: true }),
  ]
  const app = express()
  routers.forEach((router, index) => app.use(index === 0 ? '/strapi' : '/own', router))
  app.use((_req, res) => {
    res.status(404).json({ data: null, error: { status: 404 } })
  })
  app.use(hostAnswers)
  // Longer texts than Node lets in by default: a host may have raised it.
  const server = createServer({ maxHeaderSize: 1_048_576 }, app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const agent = new Agent({ keepAlive: true })
  return {
    ask: (asked) => askAt(port, agent, asked),
    close: async () => {
      agent.destroy()
      server.close()
      await once(server, 'close')
      await Promise.all(routers.map((router) => router.close()))
    },
  }
}
