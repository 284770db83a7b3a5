import type { Logger } from '../config'
import { hookComplainer } from './hooks'

/** What a method answers is nothing by its type, and may be a promise all the same. */
type Telling = Readonly<Record<keyof Logger, (facts: object, message: string) => unknown>>

/** A logger of the host's that throws, or whose promise is rejected, harms no answer; the last resort is told of it. */
export function harmlessLogger(logger: Telling, lastResort: Logger): Logger {
  const complain = hookComplainer('logger', lastResort)
  const telling =
    (method: keyof Logger): Logger[keyof Logger] =>
    (facts, message) => {
      try {
        Promise.resolve(logger[method](facts, message)).catch(complain)
      } catch (error) {
        complain(error)
      }
    }
  return {
    debug: telling('debug'),
    info: telling('info'),
    warn: telling('warn'),
    error: telling('error'),
  }
}

export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}
