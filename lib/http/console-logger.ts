import type { Logger } from '../config'

/** Under a flood of failures, one line of each kind a second says enough. */
const quietFor = 1000

type Say = Logger['error']

/** More are forgotten: what is warned of holds numbers, too. */
const mostKinds = 1000

function oncePerKind(print: Say, kindOf: (facts: object, message: string) => string): Say {
  const kinds = new Map<string, { saidAt: number; left: number }>()
  return (facts, message) => {
    const now = performance.now()
    const kind = kindOf(facts, message)
    const { saidAt, left } = kinds.get(kind) ?? { saidAt: -Infinity, left: 0 }
    if (now - saidAt < quietFor) {
      kinds.set(kind, { saidAt, left: left + 1 })
      return
    }
    if (kinds.size >= mostKinds) kinds.clear()
    kinds.set(kind, { saidAt: now, left: 0 })
    const more = left === 0 ? '' : ` (and ${String(left)} times since it was said last)`
    print(facts, `express-content-router: ${message}${more}`)
  }
}

const byMessage = (_facts: object, message: string): string => message

/** All that is left out of the definitions is told at once, in the same words. */
const byFacts = (facts: object, message: string): string => `${message} ${JSON.stringify(facts)}`

export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}

/** Where no logger is given: the id in an answer is of use only if its error is told somewhere. */
export function consoleLogger(): Logger {
  const { error, warn } = console
  const say =
    (print: (text: string, facts: object) => void): Say =>
    (facts, message) => {
      print(message, facts)
    }
  return {
    debug: () => undefined,
    info: () => undefined,
    warn: oncePerKind(say(warn), byFacts),
    error: oncePerKind(say(error), byMessage),
  }
}
