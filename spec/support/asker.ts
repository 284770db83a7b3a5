import { once } from 'node:events'
import {
  Agent,
  createServer,
  get,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type RequestListener,
  type ServerOptions,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly bytes: Buffer
}

/** Asks over connections that stay open, so that what is asked together arrives together. */
export interface Asker {
  readonly ask: (path: string, headers?: OutgoingHttpHeaders, method?: 'GET' | 'HEAD') => Promise<Answer>
  close(): Promise<void>
}

export function asking(port: number, agent: Agent): Asker['ask'] {
  return (path, headers = {}, method = 'GET') =>
    new Promise((resolve, reject) => {
      const request = get({ port, path, headers, method, agent, host: '127.0.0.1' }, (response) => {
        // A body that ends too early rejects here.
        buffer(response).then((bytes) => {
          const { statusCode = 0, headers } = response
          resolve({ status: statusCode, headers, body: bytes.toString(), bytes })
        }, reject)
      })
      request.on('error', reject)
    })
}

export async function askerOf(
  listener: RequestListener,
  options: ServerOptions = {},
): Promise<Asker & { readonly origin: string }> {
  // An idle connection that is closed just as a request comes would be taken for a fault.
  const server = createServer({ keepAliveTimeout: 0, ...options }, listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const agent = new Agent({ keepAlive: true })
  const { port } = server.address() as AddressInfo
  return {
    ask: asking(port, agent),
    origin: `http://127.0.0.1:${String(port)}`,
    close: async () => {
      agent.destroy()
      const closed = once(server, 'close')
      server.close()
      await closed
    },
  }
}
