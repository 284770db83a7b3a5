import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort } from '../../spec/support/servers/private-server'

/** One of those that make the cluster: it can be killed, as `kill -9` does, and started again at the same address. */
export interface Member {
  readonly kill: () => Promise<void>
  readonly restart: () => Promise<void>
  readonly stop: () => Promise<void>
}

export interface AppProcess extends Member {
  readonly port: number
}

const execArgv = ['--require', join(__dirname, '..', '..', 'lab', 'bench', 'typescript.cjs')]

export async function startApp(name: string, database: string): Promise<AppProcess> {
  const port = await freePort()
  const env = { ...process.env, NAME: name, PORT: String(port), DATABASE_URL: database }
  let child: ChildProcess | undefined
  const isGone = (): boolean => child === undefined || child.exitCode !== null || child.signalCode !== null
  const restart = async (): Promise<void> => {
    if (!isGone()) return
    const started = fork(join(__dirname, 'app.ts'), { env, execArgv })
    child = started
    const failed = once(started, 'exit').then(() => {
      throw new Error(`${name} did not start`)
    })
    failed.catch(() => undefined)
    await Promise.race([once(started, 'message'), failed])
  }
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child === undefined || isGone()) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }
  await restart()
  return { port, restart, kill: () => end('SIGKILL'), stop: () => end('SIGTERM') }
}
