import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findProgram } from '../servers/private-server'

/** In milliseconds. */
export interface Hold {
  readonly atMutex: number
  readonly atWake: number
}

/** Holds up a thread of a server that was started in this environment. */
export interface Holding {
  readonly environment: NodeJS.ProcessEnv
  /** `thread`: the number that the system knows it by. */
  readonly hold: (thread: number, hold: Hold) => void
  readonly release: () => void
  readonly remove: () => void
}

const words = (...numbers: readonly number[]): Buffer =>
  Buffer.from(BigInt64Array.from(numbers.map(BigInt)).buffer)

export function makeHolding(): Holding {
  const folder = mkdtempSync(join(tmpdir(), 'content-router-held-'))
  const library = join(folder, 'held.so')
  const file = join(folder, 'hold')
  execFileSync(findProgram('cc') ?? 'cc', [
    '-shared',
    '-fPIC',
    '-O2',
    '-o',
    library,
    join(__dirname, 'held.c'),
    '-ldl',
  ])
  writeFileSync(file, words(0, 0, 0))
  const write = (bytes: Buffer, at: number): void => {
    const opened = openSync(file, 'r+')
    writeSync(opened, bytes, 0, bytes.length, at)
    closeSync(opened)
  }
  return {
    environment: { LD_PRELOAD: library, HOLD_FILE: file },
    hold: (thread, { atMutex, atWake }) => {
      write(words(atMutex * 1000, atWake * 1000), 8)
      write(words(thread), 0)
    },
    release: () => {
      write(words(0), 0)
    },
    remove: () => {
      rmSync(folder, { recursive: true })
    },
  }
}
