import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Served, ServeOrder } from './serve'

export interface StrapiSide {
  readonly origin: string
  readonly served: Extract<Served, { readonly port: number }>
  stop(): Promise<void>
}

const typescript = ['--require', join(__dirname, '..', 'bench', 'typescript.cjs')]

/** Rejects with Strapi's own words where it does not start. */
export async function startStrapiSide(order: ServeOrder): Promise<StrapiSide> {
  const child = fork(join(__dirname, 'serve.ts'), [JSON.stringify(order)], {
    execArgv: typescript,
    env: { ...process.env, NODE_ENV: 'production', STRAPI_TELEMETRY_DISABLED: 'true' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const exit = once(child, 'exit')
  const gone = exit.then((): Served => ({ reason: 'it ended before it served' }))
  const told = once(child, 'message').then(([message]) => message as Served)
  const served = await Promise.race([told, gone])
  if ('reason' in served) throw new Error(`Strapi does not start: ${served.reason}`)
  return {
    origin: `http://127.0.0.1:${String(served.port)}`,
    served,
    stop: async () => {
      child.disconnect()
      // In the midst of a statement of SQLite it hears nothing.
      const impatience = setTimeout(() => child.kill('SIGKILL'), 5000)
      await exit
      clearTimeout(impatience)
    },
  }
}
