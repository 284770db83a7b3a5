import { makeMemory } from '../memory'
import type { Compiled, Recall, SeenState } from '../load'
import type { CounterQuestions } from './ask'
import type { Counter } from './counter'
import type { States } from './states'

/** Fewer are counted about as fast as the slowest database tells its state. */
const least = 3000

/** Of totals. */
const maxBytes = 1024 * 1024

/** The texts of two states. */
const bytesOfOne = 800

/** Longer than bodies wait for what is committed to be seen: without a cache nobody expects to wait for anything. */
const patience = 10

/** Totals that hold for as long as nothing is committed: a count costs more than the page that it stands beside. */
export interface Totals {
  /** Null where nothing like it has been counted before, and nothing need be asked. */
  readonly recall: (compiled: Compiled) => Promise<Recall | null>
  readonly saw: (compiled: Compiled, total: number | null) => void
  readonly clear: () => void
}

/** The total of one condition. */
interface Counted {
  /** By whose states they are. */
  readonly totals: WeakMap<object, { readonly state: string; readonly total: number }>
  last: SeenState | null
}

function recallOf(counted: Counted, states: States, settling: number): Recall {
  const begun = performance.now()
  return {
    isLikely: states.isStanding(counted.last),
    totalIn: ({ source, state }) => {
      const found = counted.totals.get(source)
      return found?.state === state ? found.total : undefined
    },
    learn: (found, total) => {
      if (!states.hasStood(found.state, settling, begun)) return
      counted.totals.set(found.source, { state: found.state, total })
      counted.last = found
    },
  }
}

export function makeTotals(ask: CounterQuestions, states: States, { ahead }: Counter): Totals {
  const kept = makeMemory<Counted>({ maxBytes, bytesOf: () => bytesOfOne })
  return {
    recall: async ({ telling }) => {
      if (kept.size === 0) return null
      const { key } = telling()
      const counted = key === null ? undefined : kept.get(key)
      return counted !== undefined && (await ask.countsAll())
        ? recallOf(counted, states, patience * ahead)
        : null
    },
    saw: ({ telling }, total) => {
      if (total === null || total < least) return
      const { key } = telling()
      if (key !== null && !kept.has(key)) kept.set(key, { totals: new WeakMap(), last: null })
    },
    clear: () => {
      kept.clear()
    },
  }
}
