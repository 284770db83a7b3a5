import { ConfigError } from '../errors'
import type { Logger } from '../config'

/** Milliseconds between two logs of one kind: a function that fails once fails with every request like it. */
const quietFor = 60_000

/** Logs an error, unless one of its kind was logged a little while ago. Returns the facts that are in the log. */
export type LogFailure<Facts extends object = object, Error = unknown> = (error: Error) => Facts

/** A message that is not ours may hold what a client sent. The first line of the stack says where to look. */
export function withoutMessage(error: unknown): string {
  if (error instanceof ConfigError) return `${error.name}: ${error.message}`
  if (!(error instanceof Error)) return `the function threw a value that is not an error: ${typeof error}`
  const [at = 'nowhere'] = /^ +at .*$/m.exec(error.stack ?? '') ?? []
  return `${error.name} ${at.trim()}`
}

interface FailureLogOptions<Facts extends object, Error> {
  readonly message: string
  readonly factsOf: (error: Error) => Facts
  readonly kindOf: (error: Error) => string
}

/** Each kind is logged by itself, so that none hides another. */
export function makeFailureLog<Facts extends object, Error = unknown>(
  logger: Logger,
  { message, factsOf, kindOf }: FailureLogOptions<Facts, Error>,
): LogFailure<Facts, Error> {
  const kinds = new Map<string, { readonly loggedAt: number; readonly facts: Facts; times: number }>()
  return (error) => {
    const now = performance.now()
    const name = kindOf(error)
    const known = kinds.get(name)
    if (known !== undefined && now - known.loggedAt < quietFor) {
      known.times += 1
      return known.facts
    }
    const facts = factsOf(error)
    logger.error({ times: 1 + (known?.times ?? 0), ...facts }, message)
    kinds.set(name, { loggedAt: now, facts, times: 0 })
    return facts
  }
}
