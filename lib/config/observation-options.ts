import type { Request } from 'express'
import { custom, isFunction, isObject } from './option'
import type { RequestHook, StatementHook, Tracing } from './request-events'

/** What tells operators how answers came about. */
export const observationOptions = {
  /** Is told of every request once it is over: names and numbers, never values. */
  onRequest: custom<RequestHook | undefined>(undefined, isFunction, 'is no function', {
    values: 'none; function',
    meaning: '[told](operations.md#hooks) of every request once it is over, never of values',
  }),
  /** Is told of every statement once it is over: names and numbers, never values. */
  onStatement: custom<StatementHook | undefined>(undefined, isFunction, 'is no function', {
    values: 'none; function',
    meaning: 'the same of every statement',
  }),
  /** Follows requests from beginning to end: `openTelemetry()` of `express-content-router/observe`. */
  tracing: custom<Tracing | undefined>(
    undefined,
    (value) => isObject(value) && 'begin' in value,
    'has no begin',
    {
      remedy: 'use openTelemetry()',
      values: 'none; `openTelemetry()`',
      meaning: '[spans](operations.md#opentelemetry)',
    },
  ),
  /**
   * Sends a `Server-Timing` header with how long each stage took: for all, for none, or where the function answers
   * `true`.
   * @default false
   */
  serverTiming: custom<boolean | ((req: Request) => boolean)>(
    false,
    (value) => isFunction(value) || typeof value === 'boolean',
    'is neither true, false nor a function',
    {
      values: '`false`, `true`, function',
      meaning: 'sends a [`Server-Timing`](operations.md#server-timing) header',
    },
  ),
  /**
   * Whether `meta.explain` tells how the answer came about, and what the role is not shown and why: `(req) =>
   * boolean`. True for all would tell strangers.
   */
  explain: custom<((req: Request) => boolean | Promise<boolean>) | undefined>(
    undefined,
    isFunction,
    'is no function',
    {
      remedy: 'use (req) => whether its sender may see what others may not',
      values: 'none; `(req) => boolean`',
      meaning:
        '`meta.explain` tells operators [why a relation is missing](operations.md#why-is-my-relation-missing)',
    },
  ),
} as const
