import type { Request } from 'express'
import type { Fault } from '../../lib/errors'
import { faultsOfValues, type ValueCheck } from '../../lib/schema'
import type { RequestHook, StatementHook, Tracing } from './request-events'

export interface ObserveOptions {
  /** Called after each request: names and numbers, never values. */
  readonly onRequest?: RequestHook | undefined
  /** Called after each statement: names and numbers, never values. */
  readonly onStatement?: StatementHook | undefined
  /** Follows requests from beginning to end: `openTelemetry()`. */
  readonly tracing?: Tracing | undefined
  /**
   * Sends a `Server-Timing` header with the time of each stage: for all, for none, or if the function returns `true`.
   * @default false
   */
  readonly serverTiming?: boolean | ((req: Request) => boolean) | undefined
  /**
   * Adds `meta.explain` to a response if the function returns `true`: the statements, and the parts that are hidden
   * from the role. Do not return `true` for anonymous callers.
   */
  readonly explain?: ((req: Request) => boolean | Promise<boolean>) | undefined
}

const isFunction = (value: unknown): boolean => typeof value === 'function'
const hook: ValueCheck = { fits: isFunction, problem: 'must be a function' }

const checks: Readonly<Record<keyof ObserveOptions, ValueCheck>> = {
  onRequest: hook,
  onStatement: hook,
  tracing: {
    fits: (value) => typeof value === 'object' && value !== null && 'begin' in value,
    problem: 'must be an object with begin',
    remedy: 'use openTelemetry()',
  },
  serverTiming: {
    fits: (value) => isFunction(value) || typeof value === 'boolean',
    problem: 'must be true, false or a function',
  },
  explain: { ...hook, remedy: 'use a function (req) => boolean: true sends the explanation' },
}

export const faultsOfObserve = (options: ObserveOptions): Fault[] =>
  faultsOfValues('observe', options, checks)
