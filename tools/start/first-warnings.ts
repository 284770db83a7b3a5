import type { Logger } from '../../lib/config'
import type { Printer } from './start-options'

/** Further warnings are counted; `content-router check` lists them. */
const shown = 5

const longest = 300

function factsIn(facts: object): string {
  const shownFacts = Object.entries(facts)
    .map(([name, fact]) => `${name}: ${typeof fact === 'string' ? fact : JSON.stringify(fact)}`)
    .join(', ')
  return shownFacts.length > longest ? `${shownFacts.slice(0, longest)}…` : shownFacts
}

export interface FirstWarnings {
  readonly logger: Logger
  readonly endReading: () => void
  readonly endChecking: () => void
}

/**
 * Prints warnings about a project's definitions while they are read; a large project has many. Warnings about slow
 * tables are for their operators, and are not printed.
 */
export function firstWarnings({ print, complain }: Printer): FirstWarnings {
  let count = 0
  let stage: 'reading' | 'checking' | 'serving' = 'reading'
  const write = (kind: string, facts: object, message: string): void => {
    complain(`${kind}: ${message} (${factsIn(facts)})`)
  }
  const warn: Logger['warn'] = (facts, message) => {
    if (stage === 'reading') count += 1
    if (stage === 'serving' || (stage === 'reading' && count <= shown)) write('warning', facts, message)
  }
  const error: Logger['error'] = (facts, message) => {
    write('error', facts, message)
  }
  return {
    logger: { debug: () => undefined, info: () => undefined, warn, error },
    endReading: () => {
      stage = 'checking'
      if (count > shown) print(`… and ${String(count - shown)} more warnings.`)
    },
    endChecking: () => {
      stage = 'serving'
    },
  }
}
