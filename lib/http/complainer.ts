import type { Logger } from '../config'
import { ConfigError } from '../errors'

/** Between two complaints of one kind: a function that fails once fails with every request like it. */
const quietFor = 60_000

/** Complains, unless that was done a little while ago; answers what was told then or now. */
export type Complain<Facts extends object = object, Error = unknown> = (error: Error) => Facts

/** A message that is not ours may hold what a client sent. The first line of the stack says where to look. */
export function withoutMessage(error: unknown): string {
  if (error instanceof ConfigError) return `${error.name}: ${error.message}`
  if (!(error instanceof Error)) return `threw no error but a ${typeof error}`
  const [at = 'nowhere'] = /^ +at .*$/m.exec(error.stack ?? '') ?? []
  return `${error.name} ${at.trim()}`
}

interface ComplaintKind<Facts> {
  readonly saidAt: number
  readonly facts: Facts
  /** How often it came since. */
  times: number
}

interface Words<Facts extends object, Error> {
  readonly message: string
  /** Asked of those that are told alone. */
  readonly factsOf: (error: Error) => Facts
  readonly kindOf: (error: Error) => string
}

/** Complains of what fails again and again: of each kind by itself, so that none hides another. */
export function complainer<Facts extends object, Error = unknown>(
  logger: Logger,
  { message, factsOf, kindOf }: Words<Facts, Error>,
): Complain<Facts, Error> {
  const kinds = new Map<string, ComplaintKind<Facts>>()
  return (error) => {
    const now = performance.now()
    const name = kindOf(error)
    const known = kinds.get(name)
    if (known !== undefined && now - known.saidAt < quietFor) {
      known.times += 1
      return known.facts
    }
    const facts = factsOf(error)
    logger.error({ times: 1 + (known?.times ?? 0), ...facts }, message)
    kinds.set(name, { saidAt: now, facts, times: 0 })
    return facts
  }
}
