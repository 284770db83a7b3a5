import express, { type Express, type RequestHandler } from 'express'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { contentExplorer } from '../explorer'
import type { ContentRouter } from '../http'
import { isOfThisMachine, refuseOtherHosts } from './refuse-other-hosts'
import type { Site } from './site'
import type { StartAsked } from './start-asked'

/** What is served, and where. */
export interface ServedSite {
  readonly origin: string
  readonly close: () => Promise<void>
}

/** For every answer: it is read by our own pages, and as what it says that it is. */
const cautious: RequestHandler = (_req, res, next) => {
  res.set({
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
  })
  next()
}

/** Whoever reaches it from elsewhere is the role that was named, and tries no other. */
const rolesFor =
  (roles: readonly string[], { host, role }: StartAsked) =>
  (): readonly string[] =>
    isOfThisMachine(host) ? roles : [role].flatMap((one) => one ?? [])

const explorerPath = '/explorer'

export interface Serving {
  readonly site: Site
  readonly api: ContentRouter
  readonly roles: readonly string[]
}

function appOf({ site, api, roles }: Serving, asked: StartAsked): Express {
  const app = express().disable('x-powered-by')
  const { title, uploads, prefix } = site
  app.use(refuseOtherHosts(asked.host), cautious)
  app.get('/', (_req, res) => {
    res.redirect(explorerPath)
  })
  const beside = asked.beside === null ? {} : { beside: asked.beside }
  app.use(explorerPath, contentExplorer(api, { title, roles: rolesFor(roles, asked), ...beside }))
  if (uploads !== null) app.use('/uploads', uploads)
  app.use(prefix, api)
  app.use((_req, res) => {
    res.status(404).type('text').send('There is nothing at this address.\n')
  })
  return app
}

const originOf = (server: Server, host: string): string => {
  const { port } = server.address() as AddressInfo
  return `http://${host.includes(':') ? `[${host}]` : host}:${String(port)}`
}

export async function serveSite(serving: Serving, asked: StartAsked): Promise<ServedSite> {
  const server = createServer(appOf(serving, asked)).listen(asked.port, asked.host)
  await once(server, 'listening')
  return {
    origin: originOf(server, asked.host),
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
