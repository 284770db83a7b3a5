import type { Fault } from '../errors'
import type { Logger } from './permissions-option'

const methods = ['debug', 'info', 'warn', 'error'] as const

const missingOf = (logger: unknown): readonly string[] =>
  methods.filter(
    (method) =>
      typeof logger !== 'object' || logger === null || typeof Reflect.get(logger, method) !== 'function',
  )

/** Half a logger would fail in the midst of a request. */
export function faultsOfLogger(logger: unknown): Fault[] {
  const missing = logger === undefined || logger === false ? [] : missingOf(logger)
  if (missing.length === 0) return []
  const problem = `is no logger: it has no ${missing.join(', no ')}`
  const remedy = 'as console and pino have; false: nothing is told'
  return [{ where: 'logger', problem, remedy }]
}

/** The logger, if there is one that can be spoken to. */
export const loggerOf = (logger: Logger | false | undefined): Logger | undefined =>
  logger === false || logger === undefined || missingOf(logger).length > 0 ? undefined : logger
