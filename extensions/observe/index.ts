// Input: hooks of the host application, or a content router.
// Output: an extension that calls these hooks for requests and statements. It adds `Server-Timing` and `meta.explain`.
// Further outputs are the metrics of a router, and a router for probes.
// Rejected: options of another kind.
import type { Request } from 'express'
import { isAllowedByHostResult } from '../../lib/access'
import type { Core, Extension, RequestObserver, RequestStart } from '../../lib/http'
import { inTime } from '../../lib/read'
import { readExistingIndexes } from './existing-indexes'
import { addedHooks, beginTrace, hookFailureLog, ownHooks } from './hooks'
import { faultsOfObserve, type ObserveOptions } from './observe-options'
import { startRecorder } from './recorder'
import type { RequestTrace, Tracing } from './request-events'

export type { ReadAction } from '../../lib/config'
export type { RequestStart, Stage } from '../../lib/http'
export type { StatementResult } from '../../lib/read'
export { adviseIndexes, type IndexAdvice, type AdvisedIndex } from './advise-indexes'
export { readExistingIndexes } from './existing-indexes'
export type { Explanation } from './explain-response'
export { health, type HealthOptions } from './health'
export { metrics, type MetricsOptions, type MetricsRegister } from './metrics'
export type { ObserveOptions } from './observe-options'
export { openTelemetry, type OpenTelemetryOptions } from './open-telemetry'
export type { Purpose } from './plan-description'
export type { BranchShape, LevelShape, PlanShape } from './plan-outline'
export type * from './request-events'

function timingWanted(
  { serverTiming = false }: ObserveOptions,
  { settings }: Core,
): (req: Request) => boolean {
  if (typeof serverTiming === 'boolean') return () => serverTiming
  const logFailure = hookFailureLog('serverTiming', settings.logger)
  return (req) => {
    try {
      return isAllowedByHostResult('serverTiming', serverTiming(req))
    } catch (error) {
      logFailure(error)
      return false
    }
  }
}

function follow(options: ObserveOptions, core: Core): (start: RequestStart) => RequestObserver {
  const { tracing, explain } = options
  const { logger, timeout, schema, textMatching } = core.settings
  const own = ownHooks(options, logger)
  const added = addedHooks(core.database)
  const isTimed = timingWanted(options, core)
  const tracingFailed = hookFailureLog('tracing', logger)
  const explainFailed = hookFailureLog('explain', logger)
  return (start) => {
    let trace: RequestTrace | null = null
    const heard = (): readonly Partial<RequestTrace>[] => [own, ...added, ...(trace === null ? [] : [trace])]
    const recorder = startRecorder(start, { database: core.database.dialect, isTimed, heard })
    const within = (by: Tracing) => (proceed: () => void) => {
      trace = beginTrace(by, tracingFailed, start, proceed)
    }
    const addMeta = (isExplained: NonNullable<typeof explain>) => async (req: Request) => {
      try {
        if (!isAllowedByHostResult('explain', await inTime(isExplained(req), timeout))) return null
        const indexes = await inTime(readExistingIndexes(core.database, schema.schemas), timeout)
        recorder.explains()
        const { dialect } = core.database
        return () => ({ explain: recorder.explanation({ dialect, textMatching, indexes }) })
      } catch (error) {
        explainFailed(error)
        return null
      }
    }
    return {
      on: recorder.on,
      ...(tracing === undefined ? {} : { within: within(tracing) }),
      ...(explain === undefined ? {} : { addMeta: addMeta(explain) }),
    }
  }
}

/** Reports requests and statements to the host application, and explains responses to permitted callers. */
export const observe = (options: ObserveOptions = {}): Extension => ({
  name: 'observe',
  check: () => faultsOfObserve(options),
  observe: { addsMeta: options.explain !== undefined, follow: (core) => follow(options, core) },
})
