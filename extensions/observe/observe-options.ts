import type { Request } from 'express'
import type { Fault } from '../../lib/errors'
import { type ExtensionOption, faultsOfExtension } from '../../lib/schema'
import type { RequestHook, StatementHook, Tracing } from './request-events'

export interface ObserveOptions {
  /** Is told of every request once it is over: names and numbers, never values. */
  readonly onRequest?: RequestHook | undefined
  /** Is told of every statement once it is over: names and numbers, never values. */
  readonly onStatement?: StatementHook | undefined
  /** Follows requests from beginning to end: `openTelemetry()`. */
  readonly tracing?: Tracing | undefined
  /**
   * Sends a `Server-Timing` header with how long each stage took: for all, for none, or where the function answers
   * `true`.
   * @default false
   */
  readonly serverTiming?: boolean | ((req: Request) => boolean) | undefined
  /**
   * Whether `meta.explain` tells how the answer came about, and what the role is not shown and why: `(req) =>
   * boolean`. True for all would tell strangers.
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
  explain: { ...hook, remedy: 'use (req) => whether its sender may see what others may not' },
}

export const faultsOfObserve = (options: ObserveOptions): Fault[] =>
  faultsOfExtension('observe', options, checks)
