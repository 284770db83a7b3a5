import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

function childrenOf(pid: number): number[] {
  const tasks = readdirSync(`/proc/${String(pid)}/task`)
  const lists = tasks.map((task) => readFileSync(`/proc/${String(pid)}/task/${task}/children`, 'utf8'))
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number))
}

const ticksPerSecond = 100

/**
 * User and system time, with that of the children and threads that have ended: pools close connections at any moment.
 * The name in brackets may itself hold brackets and blanks.
 */
function ofOne(pid: number): number {
  const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  return (ticks * 1000) / ticksPerSecond
}

/**
 * Milliseconds of CPU that a server and all its processes have used so far: PostgreSQL has one for every connection.
 * Undefined where the system does not tell.
 */
export function databaseCpu(pid: number | null): number | undefined {
  if (pid === null) return 0
  try {
    return [pid, ...childrenOf(pid)].reduce((sum, one) => sum + ofOne(one), 0)
  } catch {
    return undefined
  }
}

/** Forgets the highest memory use seen so far, so that the next reading is that of one run. */
export function forgetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${String(pid)}/clear_refs`, '5')
  } catch {
    // Elsewhere than on Linux the peak stays that of the process.
  }
}

export interface Memory {
  readonly now: number
  readonly peak: number
}

/** Bytes. */
export function memoryOf(pid: number): Memory | undefined {
  try {
    const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8')
    const read = (name: string): number =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1024
    return { now: read('VmRSS'), peak: read('VmHWM') }
  } catch {
    return undefined
  }
}
