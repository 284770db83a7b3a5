import { EventEmitter, once } from 'node:events'
import type { Extension } from '../../../lib'
import {
  observe,
  type ObserveOptions,
  type RequestEvent,
  type StatementEvent,
} from '../../../extensions/observe'
import type { Served } from '../../support/served'

/** The option of a router with these hooks. */
export const observing = (options: ObserveOptions): { readonly extensions: readonly Extension[] } => ({
  extensions: [observe(options)],
})

/** Hooks that keep what they are told. */
export interface Hearing {
  readonly hooks: Required<Pick<ObserveOptions, 'onRequest' | 'onStatement'>>
  /** What has been told of statements since the last request began. */
  readonly statements: StatementEvent[]
  /** Asks, and waits for what is told of it. */
  ask(served: Served, path: string, role?: string): Promise<RequestEvent>
  /** Does something that ends in a request that is told of. */
  after(act: () => unknown): Promise<RequestEvent>
}

export function hearing(): Hearing {
  const told = new EventEmitter()
  const statements: StatementEvent[] = []
  const after = async (act: () => unknown): Promise<RequestEvent> => {
    statements.length = 0
    const over = once(told, 'request') as Promise<[RequestEvent]>
    await act()
    const [event] = await over
    return event
  }
  return {
    hooks: {
      onRequest: (event) => told.emit('request', event),
      onStatement: (event) => statements.push(event),
    },
    statements,
    after,
    ask: (served, path, role) => after(() => served.get(path, role)),
  }
}
