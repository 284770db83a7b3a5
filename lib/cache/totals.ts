import { LRUCache } from 'lru-cache'
import type { Database } from '../database'
import type { Compiled, Recall, Seen, Told } from '../load'
import type { Ask } from './ask'
import type { Counter } from './counter'
import { makeStates, type States } from './states'

/** Fewer are counted about as fast as the slowest database tells its state. */
const least = 3000

const mostKept = 1000

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
  last: Seen | null
}

const inTransaction = (connection: object): boolean =>
  'inTransaction' in connection && connection.inTransaction === true

/** What the numbers of all connections but SQLite's are about. */
const everybody = {}

function seenBy(dialect: Database['dialect']): (told: Told) => Seen | null {
  return ({ connection, state, shown, isInSnapshot }) => {
    if (typeof state !== 'string') return null
    switch (dialect) {
      case 'postgres':
        return { source: everybody, state }
      case 'sqlite':
        // What others began on a connection and may yet take back is seen there only.
        return isInSnapshot || !inTransaction(connection) ? { source: connection, state } : null
      case 'mysql':
        // Of several servers behind one connection, another may have been asked than has read.
        if (shown === null || shown.count === null || !shown.server.endsWith(` ${state}`)) return null
        return { source: everybody, state: `${shown.count} ${shown.server}` }
    }
  }
}

interface Surroundings {
  readonly states: States
  readonly seen: Recall['seen']
  readonly ask: Recall['ask']
  /** For how many milliseconds a state must have been seen before a reading begins. */
  readonly settling: number
}

function recallOf(counted: Counted, { states, seen, ask, settling }: Surroundings): Recall {
  const begun = performance.now()
  const before = states.of(everybody)
  const isSettled = ({ state }: Seen): boolean =>
    settling === 0 || (before?.state === state && begun - before.since >= settling)
  return {
    isLikely: states.isStanding(counted.last),
    ask,
    seen: (told) => {
      const found = seen(told)
      if (found !== null) states.observe(found)
      return found
    },
    totalIn: ({ source, state }) => {
      const found = counted.totals.get(source)
      return found?.state === state ? found.total : undefined
    },
    learn: (found, total) => {
      if (!isSettled(found)) return
      counted.totals.set(found.source, { state: found.state, total })
      counted.last = found
    },
  }
}

export function makeTotals({ dialect }: Database, counter: Counter, ask: Ask): Totals {
  const kept = new LRUCache<string, Counted>({ max: mostKept })
  const surroundings = {
    states: makeStates(),
    seen: seenBy(dialect),
    ask: dialect === 'mysql' ? ask.shownOn : null,
    settling: patience * counter.ahead,
  }
  return {
    recall: async ({ recalling }) => {
      if (recalling === null || kept.size === 0) return null
      const counted = kept.get(recalling().key)
      return counted !== undefined && (await ask.countsAll()) ? recallOf(counted, surroundings) : null
    },
    saw: ({ recalling }, total) => {
      if (recalling === null || total === null || total < least) return
      const { key } = recalling()
      if (!kept.has(key)) kept.set(key, { totals: new WeakMap(), last: null })
    },
    clear: () => {
      kept.clear()
    },
  }
}
