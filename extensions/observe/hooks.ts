import type { Logger } from '../../lib/config'
import { complainer, type Complain, type RequestStart, withoutMessage } from '../../lib/http'
import type { ObserveOptions } from './observe-options'
import type { RequestTrace, Tracing } from './request-events'

/** The message is the host's own, about names and numbers alone. */
const inFull = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error)

export const hookComplainer = (hook: string, logger: Logger): Complain =>
  complainer(logger, {
    message: 'a hook failed; no answer was harmed',
    factsOf: (error) => ({ hook, problem: inFull(error) }),
    kindOf: withoutMessage,
  })

/** Errors and rejections of a hook are logged and do not affect the response. */
function harmless<T>(hook: (event: T) => unknown, complain: Complain): (event: T) => void {
  return (event) => {
    try {
      Promise.resolve(hook(event)).catch(complain)
    } catch (error) {
      complain(error)
    }
  }
}

export function ownHooks({ onRequest, onStatement }: ObserveOptions, logger: Logger): Partial<RequestTrace> {
  return {
    ...(onRequest === undefined
      ? {}
      : { onRequest: harmless(onRequest, hookComplainer('onRequest', logger)) }),
    ...(onStatement === undefined
      ? {}
      : { onStatement: harmless(onStatement, hookComplainer('onStatement', logger)) }),
  }
}

/** Hooks of one request, which proceeds meanwhile. */
export function beginTrace(
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
    const trace = tracing.begin(start, once)
    return {
      onRequest: harmless(trace.onRequest.bind(trace), complain),
      onStatement: harmless(trace.onStatement.bind(trace), complain),
    }
  } catch (error) {
    complain(error)
    return null
  } finally {
    once()
  }
}
