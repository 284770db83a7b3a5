import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Ending, Given, Holdings, Question } from './server'

/** The process that is soaked, from outside. */
export interface Soaked {
  readonly port: number
  holdings(): Promise<Holdings>
  /** Resolves once the router has ended. */
  close(): Promise<Ending>
  stop(): Promise<void>
}

/** `before`: what the shell does first, such as to set a limit for the process. */
export async function startSoaked(given: Given, before = ':'): Promise<Soaked> {
  const typescript = join(__dirname, '..', 'bench', 'typescript.cjs')
  const parameters = [
    '--expose-gc',
    '--require',
    typescript,
    join(__dirname, 'server.ts'),
    JSON.stringify(given),
  ]
  const child = spawn('sh', ['-c', `${before}; exec "$0" "$@"`, process.execPath, ...parameters], {
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const answer = async (): Promise<unknown> => {
    const [first] = (await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(ended),
    ])) as unknown[]
    return first
  }
  const ended = (): never => {
    throw new Error('the soaked process ended by itself')
  }
  const ask = async (question: Question): Promise<unknown> => {
    const answered = answer()
    child.send(question)
    return await answered
  }
  const port = (await answer()) as number
  return {
    port,
    holdings: async () => (await ask('holdings')) as Holdings,
    close: async () => (await ask('close')) as Ending,
    stop: async () => {
      const gone = once(child, 'exit')
      child.disconnect()
      await gone
    },
  }
}
