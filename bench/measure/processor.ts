import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

function childrenOf(pid: number): number[] {
  const tasks = readdirSync(`/proc/${String(pid)}/task`)
  const lists = tasks.map((task) => readFileSync(`/proc/${String(pid)}/task/${task}/children`, 'utf8'))
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number))
}

const ticksPerSecond = 100

/** User and system time; the name in brackets may itself hold brackets and blanks. */
function ofProcess(pid: number): number {
  const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond
}

/** In nanoseconds where the kernel counts them, for every thread by itself. */
function ofThreads(pid: number): number {
  let total = 0
  for (const task of readdirSync(`/proc/${String(pid)}/task`)) {
    total += Number(readFileSync(`/proc/${String(pid)}/task/${task}/schedstat`, 'utf8').split(' ')[0])
  }
  return total / 1e6
}

function ofOne(pid: number): number {
  try {
    return ofThreads(pid)
  } catch {
    return ofProcess(pid)
  }
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
