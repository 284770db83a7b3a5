import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type Router } from 'express'

export const roleHeader = 'x-test-role'

export interface Answered {
  readonly status: number
  /** Without the hour, by which no two answers are alike. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

export interface Host {
  /** Without a slash at its end. */
  readonly at: string
  ask(path: string, role: string, method?: string): Promise<Answered>
  close(): Promise<void>
}

/** Serves routers over HTTP, each below a path of its own. */
export async function serveRouters(routers: Readonly<Record<string, Router>>): Promise<Host> {
  const app = express()
  for (const [path, router] of Object.entries(routers)) app.use(path, router)
  const server = createServer({ maxHeaderSize: 100_000 }, app).listen(0, '127.0.0.1')
  // An idle connection that it closes just as a request comes would be taken for a fault.
  server.keepAliveTimeout = 0
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const at = `http://127.0.0.1:${String(port)}`
  return {
    at,
    ask: async (path, role, method = 'GET') => {
      const response = await fetch(`${at}${path}`, { method, headers: { [roleHeader]: role } })
      const headers = Object.fromEntries([...response.headers].filter(([name]) => name !== 'date'))
      return { status: response.status, headers, text: await response.text() }
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
