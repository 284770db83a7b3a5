import Database from 'better-sqlite3'

type Method = 'all' | 'get' | 'run'
type Call = (this: unknown, ...values: unknown[]) => unknown

/**
 * SQLite answers in the loop itself: its time is the database's, and counted apart. The driver's statements share one
 * prototype, on which the calls are timed until the watch ends.
 */
function timeStatements(): {
  readonly spent: () => number
  /** What the dearest took of the processor since it was last asked. */
  readonly dearest: () => number
  readonly stop: () => void
} {
  const connection = new Database(':memory:')
  const prototype = Object.getPrototypeOf(connection.prepare('select 1')) as Record<Method, Call>
  connection.close()
  let spent = 0
  let dearest = 0
  const methods: readonly Method[] = ['all', 'get', 'run']
  const originals = methods.map((method) => [method, prototype[method]] as const)
  for (const [method, original] of originals) {
    prototype[method] = function timed(...values) {
      const before = performance.now()
      const worked = process.cpuUsage()
      try {
        return original.apply(this, values)
      } finally {
        spent += performance.now() - before
        const { user, system } = process.cpuUsage(worked)
        dearest = Math.max(dearest, (user + system) / 1e3)
      }
    }
  }
  return {
    spent: () => spent,
    dearest: () => {
      const most = dearest
      dearest = 0
      return most
    },
    stop: () => {
      for (const [method, original] of originals) prototype[method] = original
    },
  }
}

/** The longest time in ms for which nothing else could run since it was last asked. */
export interface Held {
  /** No longer than the processor worked for us: what a busy machine made us wait is nobody's fault. */
  readonly whole: number
  /** Without the statements of SQLite. */
  readonly own: number
  /** By one statement of SQLite. */
  readonly statement: number
}

export interface Clock {
  readonly longest: () => Held
  readonly stop: () => void
}

/** Milliseconds between two looks at the clock. */
const resolution = 10

type Turn = Pick<Held, 'whole' | 'own'>

/** Node's own monitor forgets what is held between a reset and its next look, which is where one request alone stands. */
function timeTurns(spentOnStatements: () => number): {
  readonly longest: () => Turn
  readonly stop: () => void
} {
  let last = performance.now()
  let spent = spentOnStatements()
  let longest: Turn = { whole: 0, own: 0 }
  const look = (): void => {
    const now = performance.now()
    const whole = now - last - resolution
    const own = whole - (spentOnStatements() - spent)
    longest = { whole: Math.max(longest.whole, whole), own: Math.max(longest.own, own) }
    last = now
    spent = spentOnStatements()
  }
  const timer = setInterval(look, resolution).unref()
  return {
    longest: () => {
      look()
      const held = longest
      longest = { whole: 0, own: 0 }
      return held
    },
    stop: () => {
      clearInterval(timer)
    },
  }
}

export function watchLoop(): Clock {
  const statements = timeStatements()
  const turns = timeTurns(statements.spent)
  let worked = process.cpuUsage()
  return {
    longest: () => {
      const { user, system } = process.cpuUsage(worked)
      const most = (user + system) / 1e3
      const { whole, own } = turns.longest()
      worked = process.cpuUsage()
      return { whole: Math.min(whole, most), own: Math.min(own, most), statement: statements.dearest() }
    },
    stop: () => {
      turns.stop()
      statements.stop()
    },
  }
}
