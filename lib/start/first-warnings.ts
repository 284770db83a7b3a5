import type { Logger } from '../config'
import type { Telling } from './start-asked'

/** More at once are counted: what they are is for `content-router check` to tell. */
const shown = 5

const factsIn = (facts: object): string =>
  Object.entries(facts)
    .map(([name, fact]) => `${name}: ${typeof fact === 'string' ? fact : JSON.stringify(fact)}`)
    .join(', ')

export interface FirstWarnings {
  readonly logger: Logger
  /** Ends the time in which warnings come by the dozen. */
  readonly end: () => void
}

/** What is told while a project is opened, of which a large one has much. */
export function firstWarnings({ print, complain }: Telling): FirstWarnings {
  let count = 0
  let isOver = false
  const say =
    (kind: string): Logger['warn'] =>
    (facts, message) => {
      count += 1
      if (isOver || count <= shown) complain(`${kind}: ${message} (${factsIn(facts)})`)
    }
  return {
    logger: { debug: () => undefined, info: () => undefined, warn: say('warning'), error: say('error') },
    end: () => {
      if (count > shown) print(`… and ${String(count - shown)} more warnings of this kind.`)
      isOver = true
    },
  }
}
