import type { Logger } from '../config'

/** Under a flood of failures, one line of each kind a second says enough. */
const quietFor = 1000

type Say = Logger['error']

function oncePerKind(print: (text: string, facts: object) => void): Say {
  const kinds = new Map<string, { saidAt: number; left: number }>()
  return (facts, message) => {
    const now = performance.now()
    const { saidAt, left } = kinds.get(message) ?? { saidAt: -Infinity, left: 0 }
    if (now - saidAt < quietFor) {
      kinds.set(message, { saidAt, left: left + 1 })
      return
    }
    kinds.set(message, { saidAt: now, left: 0 })
    const more = left === 0 ? '' : ` (and ${String(left)} times since it was said last)`
    print(`express-content-router: ${message}${more}`, facts)
  }
}

/** Where no logger is given: the id in an answer is of use only if its error is told somewhere. */
export function consoleLogger(): Logger {
  const { error, warn } = console
  return { debug: () => undefined, info: () => undefined, warn: oncePerKind(warn), error: oncePerKind(error) }
}
