import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const root = join(__dirname, '..', '..')

export interface SampleSite {
  /** Where it is served, without a slash at the end. */
  readonly at: string
  readonly pid: number
  readonly stop: () => Promise<void>
}

async function addressOf({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('the sample has no output')
  for await (const line of createInterface({ input: stdout })) {
    const [at] = /http:\/\/localhost:\d+/.exec(line) ?? []
    if (at !== undefined) return at
  }
  throw new Error('the sample ended before it served anything')
}

/** `npm start`, in a process of its own. */
export async function startSample(): Promise<SampleSite> {
  const server = spawn(process.execPath, ['examples/sample/start.mjs'], {
    cwd: root,
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const at = await addressOf(server)
  server.stdout.resume()
  return {
    at,
    pid: Number(server.pid),
    stop: async () => {
      if (server.exitCode !== null) return
      server.kill('SIGTERM')
      await once(server, 'exit')
    },
  }
}
