import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Express } from 'express'
import type { Knex } from 'knex'
import { testDatabase } from './databases'

const root = join(__dirname, '..', '..')

export interface SampleSite {
  /** Its address, without a slash at the end. */
  readonly at: string
  /** All links that it prints when it starts. */
  readonly links: readonly string[]
  readonly pid: number
  readonly stop: () => Promise<void>
}

/** The lines that it prints, up to its last one. */
async function announcementOf({ stdout }: ChildProcess): Promise<readonly string[]> {
  if (stdout === null) throw new Error('the sample has no output')
  const lines: string[] = []
  for await (const line of createInterface({ input: stdout })) {
    lines.push(line)
    if (line.startsWith('Press Ctrl-C')) return lines
  }
  throw new Error('the sample ended before it served anything')
}

const address = /http:\/\/localhost:\d+/

const linkIn = /http:\/\/localhost:\d+[^\s']*/g

/** Runs `npm start` in a process of its own. */
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

interface SampleApp {
  readonly makeApp: (
    database: Knex.Config,
  ) => Promise<{ readonly app: Express; readonly close: () => Promise<void> }>
}

export interface ServedSample {
  /** Its address, without a slash at the end. For use inside tests and hooks. */
  readonly at: string
  readonly database: Knex.Config
}

/** Serves the sample site in this process, for the tests of one `describe` block. */
export function serveSample(): ServedSample {
  const world = testDatabase('sqlite').fresh()
  let at = ''
  beforeAll(async () => {
    const { makeApp } = jest.requireActual<SampleApp>('../../examples/sample/app.mjs')
    const { app, close } = await makeApp(world.config)
    const server = createServer({ keepAliveTimeout: 0 }, app).listen(0, '127.0.0.1')
    await once(server, 'listening')
    at = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
    world.closing({
      close: async () => {
        server.close()
        server.closeAllConnections()
        await close()
      },
    })
  }, 60_000)
  return {
    get at() {
      return at
    },
    get database() {
      return world.config
    },
  }
}
