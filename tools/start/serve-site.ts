import express, { type Express, type RequestHandler } from 'express'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { contentExplorer } from '../../extensions/explorer'
import type { ContentRouter } from '../../lib/http'
import { isOfThisMachine, refuseOtherHosts } from './refuse-other-hosts'
import { explorerPath, type StartOptions, StartError } from './start-options'
import type { Site } from './open-traceless'

type ListeningPlace = Pick<StartOptions, 'host' | 'port'>

const nowhere = ({ host }: ListeningPlace): string => `This machine has no address ${host}. Remove --host.`

const sentences: Readonly<Record<string, (place: ListeningPlace) => string>> = {
  EADDRINUSE: ({ port }) =>
    `Port ${String(port)} is in use. Choose another port with --port. Without --port, the server uses a free port.`,
  EACCES: ({ port }) =>
    `This user is not allowed to open port ${String(port)}. Choose a port of 1024 or higher: --port <number>.`,
  EADDRNOTAVAIL: nowhere,
  ENOTFOUND: nowhere,
}

function listeningFault(error: unknown, place: ListeningPlace): unknown {
  const { code } = Object(error) as { readonly code?: unknown }
  const sentence = typeof code === 'string' ? sentences[code] : undefined
  return sentence === undefined ? error : new StartError(sentence(place))
}

export interface ServedSite {
  readonly origin: string
  readonly close: () => Promise<void>
}

/** Only our own pages may read responses, with their declared type. */
const cautious: RequestHandler = (_req, res, next) => {
  res.set({
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
  })
  next()
}

/** An address without a path gets the path of Strapi's API. */
function comparisonOptions({ beside }: StartOptions, prefix: string): { readonly beside?: string } {
  if (beside === null) return {}
  const address = new URL(beside)
  if (address.pathname === '/') address.pathname = prefix
  return { beside: address.href.replace(/\/$/, '') }
}

export interface ServableSite {
  readonly site: Site
  readonly api: ContentRouter
  readonly roles: readonly string[]
}

function appOf(serving: ServableSite, options: StartOptions): Express {
  const { site, api } = serving
  const app = express().disable('x-powered-by')
  const { name: title, uploads, prefix, examples } = site
  // Clients on other machines have the named role, and cannot try others.
  const roles = isOfThisMachine(options.host) ? serving.roles : []
  const explorer = { title, at: prefix, examples, roles: () => roles, ...comparisonOptions(options, prefix) }
  app.use(refuseOtherHosts(options.host), cautious)
  app.get('/', (_req, res) => {
    res.redirect(`${explorerPath}/`)
  })
  app.use(explorerPath, contentExplorer(api, explorer))
  if (uploads !== null) app.use('/uploads', uploads)
  app.use(prefix, api)
  app.use((_req, res) => {
    res.status(404).type('text').send('The server has no page at this address.\n')
  })
  return app
}

const originOf = (server: Server, host: string): string => {
  const { port } = server.address() as AddressInfo
  return `http://${host.includes(':') ? `[${host}]` : host}:${String(port)}`
}

const served = (server: Server, host: string): ServedSite => ({
  origin: originOf(server, host),
  close: async () => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  },
})

export async function serveSite(serving: ServableSite, options: StartOptions): Promise<ServedSite> {
  const server = createServer(appOf(serving, options)).listen(options.port, options.host)
  await once(server, 'listening').catch((error: unknown) => {
    throw listeningFault(error, options)
  })
  return served(server, options.host)
}

const longestQuery = 1024 * 1024

/** Serves a router alone, on a free port of this machine. */
export async function serveLocally(api: ContentRouter): Promise<ServedSite> {
  const host = '127.0.0.1'
  const server = createServer({ maxHeaderSize: longestQuery }, express().use(api)).listen(0, host)
  await once(server, 'listening')
  return served(server, host)
}
