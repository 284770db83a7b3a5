import type { Request } from 'express'
import type { Fault } from '../../lib/errors'
import { faultsOfValues, type ValueCheck } from '../../lib/schema'
import type { RequestHook, StatementHook, Tracing } from './request-events'

/** Contains the options of the extension `observe()`. */
export interface ObserveOptions {
  /**
   * Sets your function that the router calls with an event after each request. The event contains names and numbers,
   * but no values from the request or from rows of your database.
   */
  readonly onRequest?: RequestHook | undefined
  /**
   * Sets your function that the router calls with an event after each SQL statement. The event contains names, SQL and
   * numbers, but no values from the request or from rows of your database.
   */
  readonly onStatement?: StatementHook | undefined
  /** Sets the tracing system that records the steps of each request, for example `openTelemetry()`. */
  readonly tracing?: Tracing | undefined
  /**
   * Adds the header `Server-Timing` to responses, with the time of each stage of the request. A function `serverTiming`
   * returns `true` for each request whose response gets the header.
   * @default false
   */
  readonly serverTiming?: boolean | ((req: Request) => boolean) | undefined
  /**
   * Sets your function that returns `true` for each request whose response gets `meta.explain`. The object
   * `meta.explain` contains the SQL statements, and the parts of the query that the role cannot read. For anonymous
   * callers, your function must return `false`.
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
