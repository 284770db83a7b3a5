import { driveByAutocannon } from './autocannon'
import type { Load } from './load'
import { databaseCpu, forgetPeak, memoryOf } from './processor'
import type { RunningSide } from './running-side'
import { driveBySockets } from './sockets'

/** One run of one request against one side, per request where it says nothing else. */
export interface Run {
  readonly requests: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly nodeCpu: number
  readonly databaseCpu: number | null
  readonly totalCpu: number | null
  readonly statements: number
  /** The longest time in ms that the event loop stood still. */
  readonly blocked: number
  /** Bytes of the process at its highest in this run, and how much of that came in the run. */
  readonly peak: number | null
  readonly growth: number | null
}

const drives = { autocannon: driveByAutocannon, sockets: driveBySockets } as const

/** Who asks. */
export type Client = keyof typeof drives
export const clients = Object.keys(drives) as readonly Client[]

export interface Driving extends Load {
  readonly client: Client
}

export async function run(side: RunningSide, serverPid: number | null, load: Driving): Promise<Run> {
  forgetPeak(side.pid)
  const memory = memoryOf(side.pid)
  const before = await side.tell({ tell: 'facts' })
  const databaseBefore = databaseCpu(serverPid)
  const { seconds, p50, p99 } = await drives[load.client](side.origin, load)
  const databaseAfter = databaseCpu(serverPid)
  const after = await side.tell({ tell: 'facts' })
  const peak = memoryOf(side.pid)?.peak ?? null
  const { amount } = load
  const nodeCpu = (after.cpu - before.cpu) / amount
  const known = databaseBefore !== undefined && databaseAfter !== undefined
  const database = known ? (databaseAfter - databaseBefore) / amount : null
  return {
    requests: amount,
    perSecond: amount / seconds,
    p50,
    p99,
    nodeCpu,
    databaseCpu: database,
    totalCpu: database === null ? null : nodeCpu + database,
    statements: (after.statements - before.statements) / amount,
    blocked: after.blocked,
    peak,
    growth: peak === null || memory === undefined ? null : peak - memory.now,
  }
}
