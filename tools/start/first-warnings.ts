import type { Logger } from '../../lib/config'
import type { Teller } from './start-asked'

/** More at once are counted: what they are is for `content-router check` to tell. */
const shown = 5

/** Letters of one warning. */
const longest = 300

function factsIn(facts: object): string {
  const told = Object.entries(facts)
    .map(([name, fact]) => `${name}: ${typeof fact === 'string' ? fact : JSON.stringify(fact)}`)
    .join(', ')
  return told.length > longest ? `${told.slice(0, longest)}…` : told
}

export interface FirstWarnings {
  readonly logger: Logger
  /** All definitions are read. */
  readonly endReading: () => void
  /** Requests may come. */
  readonly endChecking: () => void
}

/**
 * What a project's definitions cost is told as they are read, of which a large one has much. What would make its tables
 * faster is for those who run them, and not told here.
 */
export function firstWarnings({ print, complain }: Teller): FirstWarnings {
  let count = 0
  let stage: 'reading' | 'checking' | 'serving' = 'reading'
  const tell = (kind: string, facts: object, message: string): void => {
    complain(`${kind}: ${message} (${factsIn(facts)})`)
  }
  const warn: Logger['warn'] = (facts, message) => {
    if (stage === 'reading') count += 1
    if (stage === 'serving' || (stage === 'reading' && count <= shown)) tell('warning', facts, message)
  }
  const error: Logger['error'] = (facts, message) => {
    tell('error', facts, message)
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
