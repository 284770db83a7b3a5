import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { runCommand } from '../../tools/command/run'

const root = join(__dirname, '..', '..')

export interface StartSettings {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
}

/** How the built command is run: by default as it stands here. */
export interface ProcessSettings extends StartSettings {
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

const built = [join(root, 'dist', 'tools', 'command.js')]

/** None outlives its spec. */
const timeout = 60_000

const address = /^ {2}Explorer {2}(http:\S+)\/explorer\/$/m

interface Running {
  readonly child: ChildProcess
  readonly said: () => string
}

function run(words: readonly string[], { cwd, env, command = built }: ProcessSettings): Running {
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

/** Runs the built command in a process until it ends by itself. */
export function endedProcess(words: readonly string[], settings: ProcessSettings): Promise<Ended> {
  const running = run(words, settings)
  // One that serves after all would be waited for.
  const { child, said } = running
  child.stdout?.on('data', () => {
    if (address.test(said())) child.kill('SIGINT')
  })
  return endOf(running)
}

/** Runs the built command in a process until it serves; throws its output if it ends before that. */
export async function startedProcess(words: readonly string[], settings: ProcessSettings): Promise<Started> {
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

/** The variables and the folder of a process are those of a command while it starts. */
function become({ cwd, env }: StartSettings): () => void {
  const [variables, folder] = [process.env, process.cwd()]
  process.env = { PATH: variables['PATH'], HOME: variables['HOME'], ...env }
  process.chdir(cwd)
  return () => {
    process.env = variables
    process.chdir(folder)
  }
}

/** Runs the command in this process until it serves or ends by itself. */
async function runHere(words: readonly string[], settings: StartSettings) {
  let text = ''
  const stopping = new AbortController()
  const leave = become(settings)
  let onServed: () => void = () => undefined
  const served = new Promise<void>((resolve) => {
    onServed = resolve
  })
  const tell = (line: string): void => {
    text += `${line}\n`
    if (address.test(text)) onServed()
  }
  const end = runCommand(words, { print: tell, complain: tell, until: stopping.signal })
  await Promise.race([served, end])
  leave()
  const said = (): string => text
  return {
    said,
    at: address.exec(text)?.[1],
    stop: async (): Promise<Ended> => {
      stopping.abort()
      return { code: await end, said: said() }
    },
  }
}

/** Runs the command in this process until it ends by itself. One that serves after all is stopped. */
export async function ended(words: readonly string[], settings: StartSettings): Promise<Ended> {
  return (await runHere(words, settings)).stop()
}

/** Runs the command in this process until it serves; throws its output if it ends before that. */
export async function started(words: readonly string[], settings: StartSettings): Promise<Started> {
  const { at, said, stop } = await runHere(words, settings)
  if (at === undefined) throw new Error(`it ended before it served anything: ${said()}`)
  return { at, said, stop }
}
