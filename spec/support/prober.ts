import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { World } from './databases'
import { roleHeader, type Served } from './served'

export interface Manner {
  readonly role: string
  /** `v4`: the answer is asked for in Strapi's older form. */
  readonly format?: string
  readonly method?: 'GET' | 'HEAD'
}

export interface Answered {
  readonly status: number
  /** Whatever a client can see of it, but the time. */
  readonly whole: string
}

/** Asks over one line that stays open: probes are many. */
export interface Prober {
  ask(path: string, manner: Manner): Promise<Answered>
}

const fleeting = ['date', 'connection', 'keep-alive']

async function answeredOf(response: IncomingMessage): Promise<Answered> {
  const status = response.statusCode ?? 0
  const headers = Object.entries(response.headers).filter(([name]) => !fleeting.includes(name))
  const lines = headers.map(([name, value]) => `${name}: ${String(value)}`)
  return { status, whole: [String(status), ...lines, await text(response)].join('\n') }
}

/** For use inside tests and hooks; closed with the world. */
export async function probe(world: World, { app }: Served): Promise<Prober> {
  const server = createServer({ keepAliveTimeout: 0 }, app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const agent = new Agent({ keepAlive: true })
  world.closing({
    close: async () => {
      agent.destroy()
      server.close()
      await once(server, 'close')
    },
  })
  return {
    ask: async (path, { role, format, method = 'GET' }) => {
      const older = format === undefined ? {} : { 'strapi-response-format': format }
      const headers = { [roleHeader]: role, ...older }
      const asked = request({ host: '127.0.0.1', port, path: `/api/${path}`, method, agent, headers }).end()
      const [response] = (await once(asked, 'response')) as [IncomingMessage]
      return answeredOf(response)
    },
  }
}

/** With what the client said itself taken out, where an answer repeats it. */
export const without = ({ whole }: Answered, said: string): string =>
  said.length < 4 ? whole : whole.replaceAll(said, '…').replaceAll(said.toUpperCase(), '…')
