import type { Logger } from '../../lib/config'
import type { Database } from '../../lib/database'
import { type LogFailure, makeFailureLog, type RequestStart } from '../../lib/http'
import { once } from '../../lib/memory'
import type { ObserveOptions } from './observe-options'
import type { RequestTrace, Tracing } from './request-events'

/** The message is the host's own, about names and numbers alone. */
const inFull = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error)

export const hookFailureLog = (hook: string, logger: Logger): LogFailure =>
  makeFailureLog(logger, 'a hook of observe() failed, but responses are not affected', (error) => {
    return { hook, problem: inFull(error) }
  })

/** Errors and rejections of a hook are logged and do not affect the response. */
function harmless<T>(hook: (event: T) => unknown, logFailure: LogFailure): (event: T) => void {
  return (event) => {
    try {
      Promise.resolve(hook(event)).catch(logFailure)
    } catch (error) {
      logFailure(error)
    }
  }
}

export function ownHooks({ onRequest, onStatement }: ObserveOptions, logger: Logger): Partial<RequestTrace> {
  return {
    ...(onRequest && { onRequest: harmless(onRequest, hookFailureLog('onRequest', logger)) }),
    ...(onStatement && { onStatement: harmless(onStatement, hookFailureLog('onStatement', logger)) }),
  }
}

const added = new WeakMap<Database, Partial<RequestTrace>[]>()

/** Hooks that are added to a running router, by its database. */
export const addedHooks = (database: Database): Partial<RequestTrace>[] => once(added, database, () => [])

/** Hooks of one request, which proceeds meanwhile. */
export function beginTrace(
  tracing: Tracing,
  logFailure: LogFailure,
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
      onRequest: harmless(trace.onRequest.bind(trace), logFailure),
      onStatement: harmless(trace.onStatement.bind(trace), logFailure),
    }
  } catch (error) {
    logFailure(error)
    return null
  } finally {
    once()
  }
}
