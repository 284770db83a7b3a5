import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type express from 'express'
import type { ErrorRequestHandler, Router } from 'express'
import type { Knex } from 'knex'
import { type ContentRouter, type ContentRouterConfig, contentRouter } from '../../lib'
import { decoded } from '../../spec/support/behind/decoded'
import { pathTo, stacks } from '../../spec/support/behind/stacks'
import { expresses } from '../../spec/support/expresses'
import type { Recording } from '../../spec/support/recordings'
import { type KnownList, knownLists } from './cursors'
import type { Asked } from './grammar'
import { mounts, type Recorded, type Standing, stacks as stackNames } from './mounts'

export interface Answered {
  readonly status: number
  readonly text: string
  /** What is wrong with it by comparison with another answer. */
  readonly difference?: string
}

export interface Target {
  ask(asked: Asked): Promise<Answered>
  /** The same behind nothing, as a text that was never asked: what this takes is the router's alone. */
  askAlone(asked: Asked): Promise<Answered>
  /** Whose pages go by cursors; none where nothing is served. */
  lists(): Promise<readonly KnownList[]>
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

async function askAt(port: number, agent: Agent, { path, role, format, behind }: Asked): Promise<Answered> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = {
      [roleHeader]: role,
      ...(format === undefined ? {} : { 'strapi-response-format': format }),
      ...(behind === undefined ? {} : { 'accept-encoding': behind.encoding }),
    }
    const signal = AbortSignal.timeout(12_000)
    send({ host: '127.0.0.1', port, path: onTheWire(path), agent, headers, signal }, resolve)
      .on('error', reject)
      .end()
  })
  const bytes = await buffer(response)
  const text = decoded({ headers: response.headers, bytes }).toString()
  return { status: response.statusCode ?? 0, text }
}

interface Served {
  readonly ask: (asked: Asked) => Promise<Answered>
  close(): Promise<void>
}

/** All routers, behind nothing and behind each stack. */
async function serveOn(make: typeof express, routers: Readonly<Record<string, Router>>): Promise<Served> {
  const app = make()
  for (const stack of stackNames) {
    for (const [mount, router] of Object.entries(routers)) {
      const layers = [...stacks[stack](), router]
      app.use(pathTo(stack, mount.slice(1)), ...layers)
    }
  }
  app.use((_req, res) => {
    res.status(404).json({ data: null, error: { status: 404 } })
  })
  app.use(hostAnswers)
  // Longer texts than Node lets in by default: a host may have raised it.
  const server = createServer({ maxHeaderSize: 1_048_576 }, app).listen(0, '127.0.0.1')
  // One that is idle for long while another request is at work would be closed as it is used again.
  server.keepAliveTimeout = 0
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const agent = new Agent({ keepAlive: true })
  return {
    ask: (asked) => {
      const [, mount = '', rest = ''] = /^\/([^/?]*)(.*)$/s.exec(asked.path) ?? []
      return askAt(port, agent, { ...asked, path: pathTo(asked.behind?.stack ?? 'alone', mount) + rest })
    },
    close: async () => {
      agent.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Longer answers are rare, and those that leave in another way than others: each is asked for behind everything. */
const long = 100_000

const everywhere: readonly Standing[] = (['4', '5'] as const).flatMap((express) =>
  stackNames.map((stack) => ({ express, stack, encoding: 'gzip' as const })),
)

const isSame = (one: Answered, other: Answered): boolean =>
  one.status === other.status && one.text === other.text

function standingsFor({ status, text }: Answered, behind: Standing | undefined): readonly Standing[] {
  if (status >= 500) return []
  if (text.length > long) return everywhere
  return behind === undefined ? [] : [behind]
}

/** Asks once more where things stand before the router, which may change nothing of what it says. */
function comparing(on: Readonly<Record<Standing['express'], Served>>): Target['ask'] {
  return async ({ behind, ...asked }) => {
    const alone = await on['5'].ask(asked)
    for (const standing of standingsFor(alone, behind)) {
      const { express, stack } = standing
      const place = `behind ${stack} on Express ${express}`
      const answer = await on[express].ask({ ...asked, behind: standing }).catch((error: unknown) => {
        throw new Error(`${place}: ${String(error)}`)
      })
      if (!isSame(alone, answer)) return { ...answer, difference: `another answer ${place}` }
    }
    return alone
  }
}

/** A parameter that nothing heeds makes it another text. */
function renewing({ ask }: Served): Target['askAlone'] {
  let times = 0
  return ({ path, role }) => {
    times += 1
    return ask({ path: `${path}${path.includes('?') ? '&' : '?'}time=${String(times)}`, role })
  }
}

/** The recorded magazine behind routers with different options, below hosts with different middleware. */
export async function serveMagazine(
  { folder, contentTypes }: Recording,
  database: Knex.Config,
): Promise<Target> {
  const { permissions, ...recorded } = JSON.parse(
    readFileSync(join(folder, 'config.json'), 'utf8'),
  ) as Required<Pick<ContentRouterConfig, 'permissions'>> & Recorded
  const role: ContentRouterConfig['role'] = (req) => req.get(roleHeader) ?? 'public'
  const common = { contentTypes, database, permissions, role }
  const routers: Record<string, ContentRouter> = {}
  for (const [mount, options] of Object.entries(mounts)) {
    routers[mount] = contentRouter({ ...common, ...options(recorded) })
  }
  const served = expresses.map(async ([version, make]) => [version, await serveOn(make, routers)] as const)
  const on = Object.fromEntries(await Promise.all(served)) as Record<Standing['express'], Served>
  const ask = comparing(on)
  return {
    ask,
    askAlone: renewing(on['5']),
    lists: () => knownLists((path) => ask({ path, role: 'token' })),
    close: async () => {
      await Promise.all(Object.values(on).map((one) => one.close()))
      await Promise.all(Object.values(routers).map((router) => router.close()))
    },
  }
}
