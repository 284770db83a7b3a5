import { setTimeout as pause } from 'node:timers/promises'
import { weigh } from '../../spec/support/weigh'
import { type Clock, type Held, watchLoop } from './clock'
import { chanceFrom } from '../requests/chance'
import { type Asked, request } from './grammar'
import { faultOf, watchGlobals } from './judge'
import { minimize } from './minimize'
import type { Target } from './serve'

export interface Finding {
  readonly asked: Asked
  readonly fault: string
}

export interface Campaign {
  readonly requests: number
  readonly seed: number
  readonly target: Target
  readonly mostFindings?: number
  /** Milliseconds in which a finding is made smaller. */
  readonly minimizing?: number
  /** Bytes that this process may hold more after all requests than after the first ones, once all garbage is gone. */
  readonly mostKept?: number
}

export interface Outcome {
  readonly asked: number
  readonly statuses: Readonly<Record<string, number>>
  /** The longest time in ms for which the loop was held by one batch. */
  readonly longest: number
  readonly findings: readonly Finding[]
  /** Bytes that were kept, where they were bounded. */
  readonly kept: number | null
}

const batchSize = 64
const atOnce = 4
/** Milliseconds for which no request may hold the event loop, and no statement of SQLite. */
const patience = 250
const patienceWithStatements = 1_000

interface Watch {
  readonly clock: Clock
  readonly changed: () => string | undefined
  readonly uncaught: string[]
}

/** What one request does wrong when nothing else runs. */
async function faultAlone(target: Target, watch: Watch, asked: Asked): Promise<string | undefined> {
  watch.uncaught.length = 0
  const fault = await answerFault(target, asked)
  await pause(25)
  const [uncaught] = watch.uncaught
  if (fault !== undefined || uncaught !== undefined) return fault ?? uncaught
  watch.clock.longest()
  await target.askAlone(asked)
  await pause(25)
  return heldBy(watch.clock.longest()) ?? watch.changed()
}

function heldBy({ own, statement }: Held): string | undefined {
  if (own > patience) return 'held the event loop'
  return statement > patienceWithStatements ? 'held the event loop by a statement' : undefined
}

async function answerFault(
  target: Target,
  asked: Asked,
  count: (status: number) => void = () => undefined,
): Promise<string | undefined> {
  try {
    const answered = await target.ask(asked)
    count(answered.status)
    return faultOf(answered)
  } catch (error) {
    return `no answer: ${String(error)}`
  }
}

/** Held three times in a row, when it runs alone: a busy machine holds a loop as well. */
async function isReproduced(target: Target, watch: Watch, { asked, fault }: Finding): Promise<boolean> {
  for (let again = 0; again < 3; again += 1) {
    if ((await faultAlone(target, watch, asked)) !== fault) return false
  }
  return true
}

/** Something went wrong that nobody caught, and perhaps it takes all of a batch for it to happen. */
function findingsOfAll({ uncaught }: Watch, batch: readonly Asked[]): Finding[] {
  const [asked] = batch
  return asked === undefined ? [] : [...new Set(uncaught)].map((fault) => ({ asked, fault }))
}

async function culprits(target: Target, watch: Watch, batch: readonly Asked[]): Promise<Finding[]> {
  const uncaught = findingsOfAll(watch, batch)
  const found: Finding[] = []
  for (const asked of batch) {
    const fault = await faultAlone(target, watch, asked)
    if (fault === undefined) continue
    if (!fault.startsWith('held') || (await isReproduced(target, watch, { asked, fault }))) {
      found.push({ asked, fault })
    }
  }
  return [...found, ...uncaught.filter(({ fault }) => found.every((one) => one.fault !== fault))]
}

async function runBatch(
  target: Target,
  watch: Watch,
  batch: readonly Asked[],
  count: (status: number) => void,
): Promise<{ readonly found: Finding[]; readonly held: number }> {
  watch.clock.longest()
  const found: Finding[] = []
  const waiting = [...batch]
  const work = async (): Promise<void> => {
    for (let asked = waiting.pop(); asked !== undefined; asked = waiting.pop()) {
      const fault = await answerFault(target, asked, count)
      if (fault !== undefined) found.push({ asked, fault })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  // That a rejection is nobody's, and for how long the loop was held, is known once it has gone round.
  await pause(15)
  const longest = watch.clock.longest()
  const held = longest.whole
  const isSuspect = heldBy(longest) !== undefined || watch.uncaught.length > 0
  const changed = watch.changed()
  if (changed !== undefined)
    return { found: [...found, ...batch.map((asked) => ({ asked, fault: changed }))], held }
  return { found: isSuspect ? [...found, ...(await culprits(target, watch, batch))] : found, held }
}

/** Faults of one kind are shown once: a second of its kind most often has the same cause. */
const kindOf = ({ asked, fault }: Finding): string =>
  `${fault} ${asked.path.replace(/[^a-z$]+/gi, ' ').slice(0, 60)}`

async function smallest(target: Target, watch: Watch, finding: Finding, mostTime: number): Promise<Finding> {
  if (finding.fault.startsWith('changed')) return finding
  const holds = async (path: string): Promise<boolean> =>
    (await faultAlone(target, watch, { ...finding.asked, path })) === finding.fault
  const path = await minimize(finding.asked.path, holds, mostTime)
  return { ...finding, asked: { ...finding.asked, path } }
}

function listenForUncaught(uncaught: string[]): () => void {
  const note = (error: unknown): void => {
    uncaught.push(`uncaught ${String(error)}`)
  }
  process.on('unhandledRejection', note)
  process.on('uncaughtException', note)
  return () => {
    process.off('unhandledRejection', note)
    process.off('uncaughtException', note)
  }
}

/** What the first answers take is no growth: modules, compiled code, connections. */
const first = 4 * batchSize

/** No one request keeps too much: it is what all of them leave behind together. */
async function growth(
  from: number | null,
  mostKept: number,
): Promise<{ readonly kept: number | null; readonly fault: string | null }> {
  if (from === null) return { kept: null, fault: null }
  const kept = (await weigh()) - from
  return {
    kept,
    fault: kept > mostKept ? `kept ${String(kept)} bytes, ${String(mostKept)} are allowed` : null,
  }
}

export async function campaign({
  requests,
  seed,
  target,
  mostFindings = 10,
  minimizing = 4_000,
  mostKept = Infinity,
}: Campaign): Promise<Outcome> {
  const chance = chanceFrom(seed)
  const uncaught: string[] = []
  const silence = listenForUncaught(uncaught)
  const watch: Watch = { clock: watchLoop(), changed: watchGlobals(), uncaught }
  const statuses: Record<string, number> = {}
  const count = (status: number): void => {
    statuses[String(status)] = (statuses[String(status)] ?? 0) + 1
  }
  const findings = new Map<string, Finding>()
  let asked = 0
  let longest = 0
  let heldAtFirst: number | null = null
  let batch: readonly Asked[] = []
  const lists = await target.lists()
  while (asked < requests && findings.size < mostFindings) {
    if (mostKept < Infinity && asked >= Math.min(first, requests / 2)) heldAtFirst ??= await weigh()
    batch = Array.from({ length: Math.min(batchSize, requests - asked) }, () => request(chance, lists))
    const { found, held } = await runBatch(target, watch, batch, count)
    for (const finding of found) {
      if (findings.size < mostFindings && !findings.has(kindOf(finding)))
        findings.set(kindOf(finding), await smallest(target, watch, finding, minimizing))
    }
    asked += batch.length
    longest = Math.max(longest, held)
  }
  watch.clock.stop()
  silence()
  const { kept, fault } = await growth(heldAtFirst, mostKept)
  const [last] = batch
  if (fault !== null && last !== undefined) findings.set(fault, { asked: last, fault })
  return { asked, statuses, longest, findings: [...findings.values()], kept }
}
