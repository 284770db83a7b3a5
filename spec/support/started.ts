import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const root = join(__dirname, '..', '..')

/** How the built command is run: by default as it stands here. */
export interface StartSettings {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** Node's own words, and the file. */
  readonly command?: readonly string[]
}

/** A command that has ended by itself. */
export interface Ended {
  readonly code: number | null
  readonly said: string
}

export interface Started {
  /** Where it is served, without a slash at the end. */
  readonly at: string
  readonly said: () => string
  /** As Ctrl-C does. */
  readonly stop: () => Promise<Ended>
}

const built = [join(root, 'dist', 'lib', 'command.js')]

/** None outlives its spec. */
const timeout = 60_000

const address = /^ {2}Explorer {2}(http:\S+)\/explorer\/$/m

interface Running {
  readonly child: ChildProcess
  readonly said: () => string
}

function run(words: readonly string[], { cwd, env, command = built }: StartSettings): Running {
  const set = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env }
  const child = spawn(process.execPath, [...command, ...words], { cwd, env: set, stdio: 'pipe', timeout })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
  return { child, said: () => text }
}

async function endOf({ child, said }: Running): Promise<Ended> {
  if (child.exitCode === null) await once(child, 'close')
  return { code: child.exitCode, said: said() }
}

/** Runs the command until it ends by itself. */
export function ended(words: readonly string[], settings: StartSettings): Promise<Ended> {
  const running = run(words, settings)
  // One that serves after all would be waited for.
  const { child, said } = running
  child.stdout?.on('data', () => {
    if (address.test(said())) child.kill('SIGINT')
  })
  return endOf(running)
}

/** Runs it until it serves; throws what it said where it ends before that. */
export async function started(words: readonly string[], settings: StartSettings): Promise<Started> {
  const running = run(words, settings)
  const { child, said } = running
  while (!address.test(said()) && child.exitCode === null)
    await Promise.race([once(child.stdout ?? child, 'data'), once(child, 'close')])
  const [, at] = address.exec(said()) ?? []
  if (at === undefined) throw new Error(`it ended before it served anything: ${said()}`)
  return {
    at,
    said,
    stop: () => {
      child.kill('SIGINT')
      return endOf(running)
    },
  }
}
