import type { CoreConfig, Logger, RequestStart, RequestTrace, Tracing } from '../config'
import { complainer, type Complain, withoutMessage } from './complainer'

/** What a hook throws is the host's own message, made from names and numbers alone. */
const inFull = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error)

export const hookComplainer = (hook: string, logger: Logger): Complain =>
  complainer(logger, {
    message: 'a hook failed; no answer was harmed',
    factsOf: (error) => ({ hook, problem: inFull(error) }),
    kindOf: withoutMessage,
  })

/** What it throws, and what its promise is rejected with, is logged and goes no further. */
function harmless<T>(hook: (event: T) => unknown, complain: Complain): (event: T) => void {
  return (event) => {
    try {
      Promise.resolve(hook(event)).catch(complain)
    } catch (error) {
      complain(error)
    }
  }
}

export interface Hooks {
  /** The hooks for one request, which goes on meanwhile. */
  readonly begin: (start: RequestStart, proceed: () => void) => readonly Partial<RequestTrace>[]
  /** Whether there are any. */
  readonly areThere: boolean
}

function traceOf(trace: RequestTrace, complain: Complain): RequestTrace {
  return {
    onRequest: harmless(trace.onRequest.bind(trace), complain),
    onStatement: harmless(trace.onStatement.bind(trace), complain),
  }
}

function beginTrace(
  tracing: Tracing,
  complain: Complain,
  start: RequestStart,
  proceed: () => void,
): RequestTrace | null {
  let proceeded = false
  const once = (): void => {
    if (proceeded) return
    proceeded = true
    proceed()
  }
  try {
    return traceOf(tracing.begin(start, once), complain)
  } catch (error) {
    complain(error)
    return null
  } finally {
    once()
  }
}

export function makeHooks(
  { onRequest, onStatement, tracing }: Pick<CoreConfig, 'onRequest' | 'onStatement' | 'tracing'>,
  logger: Logger,
): Hooks {
  const own: Partial<RequestTrace> = {
    ...(onRequest === undefined
      ? {}
      : { onRequest: harmless(onRequest, hookComplainer('onRequest', logger)) }),
    ...(onStatement === undefined
      ? {}
      : { onStatement: harmless(onStatement, hookComplainer('onStatement', logger)) }),
  }
  const complain = hookComplainer('tracing', logger)
  return {
    areThere: onRequest !== undefined || onStatement !== undefined || tracing !== undefined,
    begin: (start, proceed) => {
      if (tracing !== undefined) {
        const trace = beginTrace(tracing, complain, start, proceed)
        return trace === null ? [own] : [own, trace]
      }
      proceed()
      return [own]
    },
  }
}
