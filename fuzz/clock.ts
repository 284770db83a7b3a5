import { monitorEventLoopDelay } from 'node:perf_hooks'
import Database from 'better-sqlite3'

type Method = 'all' | 'get' | 'run'
type Call = (this: unknown, ...values: unknown[]) => unknown

/**
 * SQLite answers in the loop itself: its time is the database's, and counted apart. The driver's statements share one
 * prototype, on which the calls are timed until the watch ends.
 */
function timeStatements(): { readonly spent: () => number; readonly stop: () => void } {
  const connection = new Database(':memory:')
  const prototype = Object.getPrototypeOf(connection.prepare('select 1')) as Record<Method, Call>
  connection.close()
  let spent = 0
  const methods: readonly Method[] = ['all', 'get', 'run']
  const originals = methods.map((method) => [method, prototype[method]] as const)
  for (const [method, original] of originals) {
    prototype[method] = function timed(...values) {
      const before = performance.now()
      try {
        return original.apply(this, values)
      } finally {
        spent += performance.now() - before
      }
    }
  }
  return {
    spent: () => spent,
    stop: () => {
      for (const [method, original] of originals) prototype[method] = original
    },
  }
}

export interface Clock {
  /** The longest time in ms for which nothing else could run since it was last asked; statements of SQLite taken off. */
  readonly longest: () => number
  readonly stop: () => void
}

export function watchLoop(): Clock {
  const resolution = 10
  const histogram = monitorEventLoopDelay({ resolution })
  const statements = timeStatements()
  histogram.enable()
  let before = 0
  return {
    longest: () => {
      const held = histogram.max / 1e6 - resolution
      const spent = statements.spent() - before
      before = statements.spent()
      histogram.reset()
      return Math.max(0, held - spent)
    },
    stop: () => {
      histogram.disable()
      statements.stop()
    },
  }
}
