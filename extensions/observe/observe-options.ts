import type { Request } from 'express'
import type { Fault } from '../../lib/errors'
import { type ExtensionOption, faultsOfExtension } from '../../lib/schema'
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
const hook: ExtensionOption = { fits: isFunction, problem: 'is no function' }

const checks: Readonly<Record<keyof ObserveOptions, ExtensionOption>> = {
  onRequest: hook,
  onStatement: hook,
  tracing: {
    fits: (value) => typeof value === 'object' && value !== null && 'begin' in value,
    problem: 'has no begin',
    remedy: 'use openTelemetry()',
  },
  serverTiming: {
    fits: (value) => isFunction(value) || typeof value === 'boolean',
    problem: 'is neither true, false nor a function',
  },
  explain: { ...hook, remedy: 'use a function (req) => boolean: true sends the explanation' },
}

export const faultsOfObserve = (options: ObserveOptions): Fault[] =>
  faultsOfExtension('observe', options, checks)
