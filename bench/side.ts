// A server process of the bench: serves one side, and tells what it has used when it is asked.
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { join } from 'node:path'
import type { Prepared } from './data/prepare'
import { limit } from './limit'
import { countStatements, statementsSent } from './measure/statements'
import { expressMemory, httpMemory } from './sides/memory'
import { ours } from './sides/ours'
import { plainKnex } from './sides/plain-knex'

export type SideName = 'ours' | 'knex' | 'limit' | 'memory' | 'http'

export type Given = Pick<Prepared, 'name' | 'bench' | 'recorded' | 'recordedTypes'> & {
  readonly side: SideName
  readonly prolific: string
  readonly lesser: string
}

export interface Facts {
  readonly cpu: number
  readonly statements: number
  /** The longest time in ms that the event loop stood still since it was last asked. */
  readonly blocked: number
}

export type Message =
  { readonly tell: 'facts' } | { readonly tell: 'bodies'; readonly bodies: Readonly<Record<string, string>> }

export interface Side {
  readonly listener: RequestListener
  /** For the sides that answer from memory. */
  readonly remember?: (bodies: Readonly<Record<string, string>>) => void
}

const sides: Readonly<Record<SideName, (given: Given) => Side>> = {
  ours,
  knex: plainKnex,
  limit,
  memory: expressMemory,
  http: httpMemory,
}

async function serve(given: Given): Promise<void> {
  countStatements(join(__dirname, '..'))
  const { listener, remember } = sides[given.side](given)
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const facts = (): Facts => {
    const { user, system } = process.cpuUsage()
    const blocked = delay.max / 1e6
    delay.reset()
    return { cpu: (user + system) / 1000, statements: statementsSent(), blocked }
  }
  process.on('message', (message: Message) => {
    if (message.tell === 'bodies') remember?.(message.bodies)
    process.send?.(facts())
  })
  process.on('disconnect', () => process.exit(0))
  process.send?.({ port: (server.address() as AddressInfo).port })
}

void serve(JSON.parse(process.argv[2] ?? '{}') as Given)
