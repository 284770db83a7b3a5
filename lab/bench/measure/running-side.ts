import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Given } from '../side'
import type { Facts, Message } from './facts'

/** A side of the bench, in a process of its own. */
export interface RunningSide {
  readonly name: string
  readonly pid: number
  readonly origin: string
  tell(message: Message): Promise<Facts>
  stop(): Promise<void>
}

const root = join(__dirname, '..')

function nextMessage(child: ChildProcess, name: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onMessage = (message: unknown): void => {
      child.off('exit', onExit)
      resolve(message)
    }
    const onExit = (): void => {
      child.off('message', onMessage)
      reject(new Error(`the side ${name} ended before it answered`))
    }
    child.once('message', onMessage).once('exit', onExit)
  })
}

export async function startProcess(
  name: string,
  script: string,
  argument: unknown,
  execArgv: readonly string[],
): Promise<RunningSide> {
  const child = fork(script, [JSON.stringify(argument)], {
    execArgv: [...execArgv],
    env: { ...process.env, NODE_ENV: 'production', STRAPI_TELEMETRY_DISABLED: 'true' },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const { port } = (await nextMessage(child, name)) as { readonly port: number }
  return {
    name,
    pid: child.pid ?? 0,
    origin: `http://127.0.0.1:${String(port)}`,
    tell: async (message) => {
      const answer = nextMessage(child, name)
      child.send(message)
      return (await answer) as Facts
    },
    stop: async () => {
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}

export function startSide(given: Given, execArgv: readonly string[]): Promise<RunningSide> {
  const typescript = ['--require', join(root, 'typescript.cjs')]
  return startProcess(given.side, join(root, 'serve-side.ts'), given, [...typescript, ...execArgv])
}
