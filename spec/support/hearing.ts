import { EventEmitter, once } from 'node:events'
import type { ContentRouterConfig, Logger, RequestEvent, StatementEvent } from '../../lib'
import type { Served } from './served'

/** Hooks that keep what they are told. */
export interface Hearing {
  readonly hooks: Pick<ContentRouterConfig, 'onRequest' | 'onStatement'>
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

export interface Logged {
  readonly facts: Readonly<Record<string, unknown>>
  readonly message: string
}

/** A logger that keeps its statements, its warnings and its complaints. */
export function keeping(): {
  readonly sql: string[]
  readonly errors: Logged[]
  readonly warnings: string[]
  readonly logger: Logger
} {
  const sql: string[] = []
  const errors: Logged[] = []
  const warnings: string[] = []
  const logger = {
    debug: (facts: object) => {
      if ('sql' in facts) sql.push(String(facts.sql))
    },
    info: () => undefined,
    warn: (_facts: object, message: string) => {
      warnings.push(message)
    },
    error: (facts: object, message: string) => {
      errors.push({ facts: { ...facts }, message })
    },
  }
  return { sql, errors, warnings, logger }
}
