import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { makeProfiler } from './profiler'
import { statementsSent } from './statements'

export interface Facts {
  /** Milliseconds of CPU used so far. */
  readonly cpu: number
  readonly statements: number
  /** The longest time in ms that the event loop stood still since it was last asked. */
  readonly blocked: number
}

export type Bodies = Readonly<Record<string, string>>

export type Message =
  | { readonly tell: 'facts' }
  /** Collects garbage where the process was started so that it can. */
  | { readonly tell: 'collect' }
  /** Has the process write where its CPU went from now on, when the bench is gone. */
  | { readonly tell: 'profile'; readonly file: string }
  | { readonly tell: 'bodies'; readonly bodies: Bodies }

/** Says where the server listens, then answers whatever the bench asks until the bench is gone. */
export function answerQuestions(server: Server, remember?: (bodies: Bodies) => void): void {
  const profiler = makeProfiler()
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
    if (message.tell === 'profile') profiler.begin(message.file)
    // What a first collection finalizes only a second one frees.
    if (message.tell === 'collect') for (let time = 0; time < 3; time += 1) globalThis.gc?.()
    process.send?.(facts())
  })
  process.on('disconnect', () => {
    profiler.end()
    process.exit(0)
  })
  process.send?.({ port: (server.address() as AddressInfo).port })
}
