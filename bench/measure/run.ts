import autocannon from 'autocannon'
import { databaseCpu, forgetPeak, memoryOf } from './processor'
import type { RunningSide } from './running-side'

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

export interface Load {
  readonly paths: readonly string[]
  readonly connections: number
  readonly amount: number
}

/** The tool looks up whether it is done at every sample, so the end is told by the last answer instead. */
const sampleEvery = 25

let cursor = 0

/** Connections go through a list of paths each in a part of its own, and the next run goes on from there. */
function nextPart({ paths, connections, amount }: Load): { path: string }[] {
  const start = cursor % paths.length
  cursor += Math.ceil(amount / connections)
  const length = Math.min(paths.length, 2 * Math.ceil(amount / connections))
  return Array.from({ length }, (_, index) => ({ path: paths[(start + index) % paths.length] ?? '' }))
}

interface Driven {
  readonly result: autocannon.Result
  readonly seconds: number
}

async function drive({ origin }: RunningSide, load: Load): Promise<Driven> {
  const { paths, connections, amount } = load
  const begun = performance.now()
  let ended = begun
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const instance = autocannon(
      {
        url: origin,
        connections: Math.min(connections, amount),
        amount,
        timeout: 60,
        sampleInt: sampleEvery,
        setupClient: (client) => {
          client.setRequests(nextPart(load))
        },
      },
      (error: Error | null, done) => {
        if (error === null) resolve(done)
        else reject(error)
      },
    )
    instance.on('response', () => {
      ended = performance.now()
    })
  })
  const bad = result.errors + result.timeouts + result.non2xx
  if (bad > 0) throw new Error(`${String(bad)} of ${String(amount)} requests for ${paths[0] ?? ''} failed`)
  return { result, seconds: (ended - begun) / 1000 }
}

export async function run(side: RunningSide, serverPid: number | null, load: Load): Promise<Run> {
  forgetPeak(side.pid)
  const memory = memoryOf(side.pid)
  const before = await side.tell({ tell: 'facts' })
  const databaseBefore = databaseCpu(serverPid)
  const { result, seconds } = await drive(side, load)
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
    p50: result.latency.p50,
    p99: result.latency.p99,
    nodeCpu,
    databaseCpu: database,
    totalCpu: database === null ? null : nodeCpu + database,
    statements: (after.statements - before.statements) / amount,
    blocked: after.blocked,
    peak,
    growth: peak === null || memory === undefined ? null : peak - memory.now,
  }
}
