import type { Logger } from '../../lib'

export interface Logged {
  readonly facts: Readonly<Record<string, unknown>>
  readonly message: string
}

/** A logger that keeps its statements, its warnings and its complaints. */
export function keeping(): {
  readonly sql: string[]
  readonly errors: Logged[]
  readonly warnings: string[]
  /** Warnings and complaints in their order. */
  readonly lines: Logged[]
  readonly logger: Logger
} {
  const sql: string[] = []
  const errors: Logged[] = []
  const warnings: string[] = []
  const lines: Logged[] = []
  const logger = {
    debug: (facts: object) => {
      if ('sql' in facts) sql.push(String(facts.sql))
    },
    info: () => undefined,
    warn: (facts: object, message: string) => {
      warnings.push(message)
      lines.push({ facts: { ...facts }, message })
    },
    error: (facts: object, message: string) => {
      errors.push({ facts: { ...facts }, message })
      lines.push({ facts: { ...facts }, message })
    },
  }
  return { sql, errors, warnings, lines, logger }
}
