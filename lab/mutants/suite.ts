import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'

/** SQLite starts at once, so most mutants are killed there. */
export const stages = { sqlite: 'sqlite', others: 'mariadb,mysql,postgres' } as const
export type Stage = keyof typeof stages

export interface Outcome {
  /** Spec files with a message of each. */
  readonly failed: ReadonlyMap<string, string>
  /** The spec file that ran longer than its limit. The run was ended then. */
  readonly hanging: string | null
  readonly seconds: Readonly<Record<string, number>>
}

interface Event {
  readonly kind: 'started' | 'failed' | 'ended'
  readonly spec: string
  readonly at: number
  readonly why?: string
}

interface Order {
  readonly stage: Stage
  /** In the order in which they run. */
  readonly specs: readonly string[]
  /** 0: none. */
  readonly mutant: number
  /** After so many seconds a spec file is considered to hang. */
  readonly limitOf: (spec: string) => number
}

/** Milliseconds between two looks at a run. */
const tick = 200

const pause = (ms: number): Promise<false> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms, false)
  })

const jest = ['node_modules/jest/bin/jest.js']

/** Spec files that the run of the checkout has by itself; with `long` also those that it leaves out. */
export function listSpecs(checkout: string, long: boolean): readonly string[] {
  const env = { ...process.env, ...(long ? { SPECS: 'all' } : {}) }
  const listed = execFileSync(process.execPath, [...jest, '--listTests'], { cwd: checkout, env })
  return String(listed)
    .split('\n')
    .filter((line) => line.endsWith('.ts'))
    .map((line) => line.slice(checkout.length + 1))
    .sort()
}

const linesOf = (file: string): readonly string[] =>
  existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []

const placeOf = (scratch: string, name: string): string => join(scratch, '.mutants', name)

/** Numbers of the mutants that each spec file of the last run reached. */
export function readReached(scratch: string): ReadonlyMap<string, ReadonlySet<number>> {
  const reached = new Map<string, Set<number>>()
  for (const line of linesOf(placeOf(scratch, 'reached'))) {
    const [number = '', spec = ''] = line.split(' ')
    reached.set(spec, (reached.get(spec) ?? new Set()).add(Number(number)))
  }
  return reached
}

interface Progress extends Omit<Outcome, 'hanging'> {
  /** Spec files, and when they started. */
  readonly running: ReadonlyMap<string, number>
}

function readProgress(scratch: string): Progress {
  const failed = new Map<string, string>()
  const seconds: Record<string, number> = {}
  const running = new Map<string, number>()
  for (const line of linesOf(placeOf(scratch, 'events'))) {
    const { kind, spec, at, why = '' } = JSON.parse(line) as Event
    if (kind === 'failed') failed.set(spec, failed.get(spec) ?? why)
    else if (kind === 'started') running.set(spec, at)
    else {
      seconds[spec] = (at - (running.get(spec) ?? at)) / 1000
      running.delete(spec)
    }
  }
  return { failed, seconds, running }
}

function startJest(scratch: string, { stage, specs }: Order, workers: number): ChildProcess {
  const parameters = [
    ...jest,
    `--env=${placeOf(scratch, 'environment.cjs')}`,
    `--reporters=${placeOf(scratch, 'reporter.cjs')}`,
    `--testSequencer=${placeOf(scratch, 'sequencer.cjs')}`,
    `--maxWorkers=${String(workers)}`,
    ...['--silent', '--runTestsByPath', ...specs],
  ]
  // Specs that compare a database with SQLite find it in every stage.
  const folder = placeOf(scratch, 'sqlite')
  mkdirSync(folder, { recursive: true })
  const env = { ...process.env, SPECS: 'all', DATABASES: stages[stage], TEST_SQLITE_FOLDER: folder }
  const log = openSync(placeOf(scratch, 'log'), 'w')
  const child = spawn(process.execPath, parameters, {
    ...{ cwd: scratch, env, detached: true, stdio: ['ignore', log, log] },
  })
  closeSync(log)
  return child
}

/** A group of processes of its own: workers and what they started end with it. Database servers notice and end themselves. */
function kill({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Without a mutant all specs run. With one the first failure ends the run. */
export async function runSpecs(scratch: string, order: Order, workers: number): Promise<Outcome> {
  const { specs, mutant, limitOf } = order
  for (const name of ['events', 'reached']) rmSync(placeOf(scratch, name), { force: true })
  writeFileSync(placeOf(scratch, 'active'), String(mutant))
  writeFileSync(placeOf(scratch, 'order'), specs.join('\n'))
  const child = startJest(scratch, order, workers)
  const stop = (): never => {
    kill(child)
    process.exit(1)
  }
  process.once('SIGINT', stop).once('SIGTERM', stop)
  const ended = once(child, 'exit')
  // Counted and not read from the clock: the tool and its specs may be paused.
  const ticks = new Map<string, number>()
  for (;;) {
    const isOver = await Promise.race([ended.then(() => true), pause(tick)])
    const { running, ...progress } = readProgress(scratch)
    for (const spec of running.keys()) ticks.set(spec, (ticks.get(spec) ?? 0) + 1)
    const hanging = [...running.keys()].find((spec) => (ticks.get(spec) ?? 0) * tick > limitOf(spec) * 1000)
    const outcome = { ...progress, hanging: hanging ?? null }
    const isDecided = outcome.hanging !== null || (mutant > 0 && outcome.failed.size > 0)
    if (!isOver && !isDecided) continue
    kill(child)
    await ended
    process.off('SIGINT', stop).off('SIGTERM', stop)
    if (!isDecided && Object.keys(outcome.seconds).length < specs.length)
      throw new Error(`Jest ended early:\n${readFileSync(placeOf(scratch, 'log'), 'utf8').slice(-3000)}`)
    return outcome
  }
}
