import type { Request } from 'express'
import type { ContentRouterConfig, RequestHook, StatementHook, Tracing } from '../config'
import type { Fault } from '../errors'

/** What operators want to see. */
export interface Observing {
  readonly onRequest?: RequestHook
  readonly onStatement?: StatementHook
  readonly tracing?: Tracing
  readonly serverTiming: boolean | ((req: Request) => boolean)
  readonly explain: NonNullable<ContentRouterConfig['explain']> | null
}

export const observed = ['onRequest', 'onStatement', 'tracing', 'serverTiming', 'explain'] as const

function problemOf(name: (typeof observed)[number], value: unknown): Omit<Fault, 'where'> | null {
  switch (name) {
    case 'onRequest':
    case 'onStatement':
      return typeof value === 'function' ? null : { problem: 'is no function' }
    case 'tracing': {
      const begins = typeof value === 'object' && value !== null && 'begin' in value
      return begins ? null : { problem: 'has no begin', remedy: 'use openTelemetry()' }
    }
    case 'serverTiming':
      return typeof value === 'function' || typeof value === 'boolean'
        ? null
        : { problem: 'is neither true, false nor a function' }
    case 'explain':
      // True for all would tell strangers what is kept from them.
      return typeof value === 'function'
        ? null
        : {
            problem: 'is no function',
            remedy: 'use (req) => whether who sent it may see what others may not',
          }
  }
}

export function wrongObserving(config: ContentRouterConfig): Fault[] {
  return observed.flatMap((name) => {
    const value: unknown = config[name]
    const problem = value === undefined ? null : problemOf(name, value)
    return problem === null ? [] : [{ where: name, ...problem }]
  })
}

export function readObserving(config: ContentRouterConfig): Observing {
  const { onRequest, onStatement, tracing, serverTiming = false, explain = null } = config
  return {
    ...(onRequest === undefined ? {} : { onRequest }),
    ...(onStatement === undefined ? {} : { onStatement }),
    ...(tracing === undefined ? {} : { tracing }),
    ...{ serverTiming, explain },
  }
}
