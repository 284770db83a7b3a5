import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const root = join(__dirname, '..', '..')

export interface SampleSite {
  /** Where it is served, without a slash at the end. */
  readonly at: string
  /** All links that it says when it starts. */
  readonly links: readonly string[]
  readonly pid: number
  readonly stop: () => Promise<void>
}

/** What it says once it is served, up to its last line. */
async function announcementOf({ stdout }: ChildProcess): Promise<readonly string[]> {
  if (stdout === null) throw new Error('the sample has no output')
  const lines: string[] = []
  for await (const line of createInterface({ input: stdout })) {
    lines.push(line)
    if (line.startsWith('Ctrl-C')) return lines
  }
  throw new Error('the sample ended before it served anything')
}

const address = /http:\/\/localhost:\d+/

const linkIn = /http:\/\/localhost:\d+[^\s']*/g

/** `npm start`, in a process of its own. */
export async function startSample(): Promise<SampleSite> {
  const server = spawn(process.execPath, ['examples/sample/start.mjs'], {
    cwd: root,
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const announcement = (await announcementOf(server)).join('\n')
  server.stdout.resume()
  const [at] = address.exec(announcement) ?? []
  if (at === undefined) throw new Error('the sample says no address')
  return {
    at,
    links: announcement.match(linkIn) ?? [],
    pid: Number(server.pid),
    stop: async () => {
      if (server.exitCode !== null) return
      server.kill('SIGTERM')
      await once(server, 'exit')
    },
  }
}
