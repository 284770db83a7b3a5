import { type Answer, askerOf } from './asker'
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

function answeredOf({ status, headers, body }: Answer): Answered {
  const shown = Object.entries(headers).filter(([name]) => !fleeting.includes(name))
  const lines = shown.map(([name, value]) => `${name}: ${String(value)}`)
  return { status, whole: [String(status), ...lines, body].join('\n') }
}

/** For use inside tests and hooks; closed with the world. */
export async function probe(world: World, { app, onRequest }: Served): Promise<Prober> {
  const { ask } = world.closing(await askerOf(app))
  const recorded = new Set<string>()
  const record = (path: string, role: string): void => {
    if (recorded.has(`${role} ${path}`)) return
    recorded.add(`${role} ${path}`)
    onRequest(path, role)
  }
  return {
    ask: async (path, { role, format, method = 'GET' }) => {
      if (format === undefined && method === 'GET') record(path, role)
      const older = format === undefined ? {} : { 'strapi-response-format': format }
      return answeredOf(await ask(`/api/${path}`, { [roleHeader]: role, ...older }, method))
    },
  }
}

/** With what the client said itself taken out, where an answer repeats it. */
export const without = ({ whole }: Answered, said: string): string =>
  said.length < 4 ? whole : whole.replaceAll(said, '…').replaceAll(said.toUpperCase(), '…')
