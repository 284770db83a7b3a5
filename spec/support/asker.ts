import { once } from 'node:events'
import { Agent, createServer, get, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Asks over connections that stay open, so that what is asked together arrives together. */
export interface Asker {
  readonly ask: (path: string) => Promise<Answer>
  close(): Promise<void>
}

function asking(port: number, agent: Agent): Asker['ask'] {
  return (path) =>
    new Promise((resolve, reject) => {
      const request = get({ port, path, agent, host: '127.0.0.1' }, (response) => {
        // A body that ends too early rejects here.
        text(response).then((body) => {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body })
        }, reject)
      })
      request.on('error', reject)
    })
}

export async function askerOf(listener: RequestListener): Promise<Asker> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const agent = new Agent({ keepAlive: true })
  return {
    ask: asking((server.address() as AddressInfo).port, agent),
    close: async () => {
      agent.destroy()
      const closed = once(server, 'close')
      server.close()
      await closed
    },
  }
}
