import type { Logger } from '../config'

const ignore = (): void => undefined

export const silentLogger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore }

const printed =
  (print: (text: string, facts: object) => void): Logger['error'] =>
  (facts, message) => {
    print(`express-content-router: ${message}`, facts)
  }

/** Where no logger is given: the id in an answer is of use only if its error is told somewhere. */
export function consoleLogger(): Logger {
  const { error, warn } = console
  return { ...silentLogger, warn: printed(warn), error: printed(error) }
}
