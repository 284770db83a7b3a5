import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { join } from 'node:path'
import type { Knex } from 'knex'
import type { CacheStats } from '../../../lib'
import { type Asker, asking } from '../asker'

/** A process that reads the database of others, and knows nothing of them. */
export interface ReaderProcess extends Asker {
  readonly stats: () => Promise<CacheStats>
}

const execArgv = ['--require', join(__dirname, '..', '..', '..', 'lab', 'bench', 'typescript.cjs')]

/** What a process says next; it may say nothing more. */
async function saidBy(child: ChildProcess): Promise<unknown> {
  const heard = once(child, 'message').then(([message]: unknown[]) => message)
  const ended = once(child, 'exit').then(() => {
    throw new Error('a process that reads has ended')
  })
  ended.catch(() => undefined)
  return Promise.race([heard, ended])
}

async function startReader(config: Knex.Config): Promise<ReaderProcess> {
  const child = fork(join(__dirname, 'reader-process.ts'), [JSON.stringify(config)], { execArgv })
  const port = (await saidBy(child)) as number
  const agent = new Agent({ keepAlive: true })
  return {
    ask: asking(port, agent),
    stats: () => {
      const said = saidBy(child)
      child.send('stats')
      return said as Promise<CacheStats>
    },
    close: async () => {
      agent.destroy()
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}

export const startReaders = (config: Knex.Config, count: number): Promise<readonly ReaderProcess[]> =>
  Promise.all(Array.from({ length: count }, () => startReader(config)))
