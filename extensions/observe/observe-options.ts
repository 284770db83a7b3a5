import type { Request } from 'express'
import type { Fault } from '../../lib/errors'
import { faultsOfValues, type ValueCheck } from '../../lib/schema'
import type { RequestHook, StatementHook, Tracing } from './request-events'

/** Contains the options of the extension `observe()`. */
export interface ObserveOptions {
  /**
   * Receives an event after each request to the router. An event contains names and numbers, but no values of requests
   * or rows.
   */
  readonly onRequest?: RequestHook | undefined
  /**
   * Receives an event after each SQL statement of the router. An event contains names, SQL and numbers, but no values
   * of requests or rows.
   */
  readonly onStatement?: StatementHook | undefined
  /** Traces requests from start to end, for example with `openTelemetry()`. */
  readonly tracing?: Tracing | undefined
  /**
   * Sends a `Server-Timing` header with the time of each stage of a request. If `serverTiming` is a function, the
   * router sends the header if the function returns `true`.
   * @default false
   */
  readonly serverTiming?: boolean | ((req: Request) => boolean) | undefined
  /**
   * Adds `meta.explain` to a response if the function `explain` returns `true`. The object `meta.explain` contains the
   * SQL statements, and the parts of the query that the role cannot read. For anonymous callers, `explain` must return
   * `false`.
   */
  readonly explain?: ((req: Request) => boolean | Promise<boolean>) | undefined
}

const isFunction = (value: unknown): boolean => typeof value === 'function'
const hook: ValueCheck = { fits: isFunction, problem: 'each hook of observe() must be a function' }

const checks: Readonly<Record<keyof ObserveOptions, ValueCheck>> = {
  onRequest: hook,
  onStatement: hook,
  tracing: {
    fits: (value) => typeof value === 'object' && value !== null && 'begin' in value,
    problem: 'the option tracing must be an object with the function begin',
    remedy: 'set tracing: openTelemetry()',
  },
  serverTiming: {
    fits: (value) => isFunction(value) || typeof value === 'boolean',
    problem: 'the option serverTiming must be true, false or a function',
  },
  explain: { ...hook, remedy: 'write a function (req) => boolean that returns true to add meta.explain' },
}

export const faultsOfObserve = (options: ObserveOptions): Fault[] =>
  faultsOfValues('observe', options, checks)
