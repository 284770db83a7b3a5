import { execFile, spawn, type ChildProcess } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { rename } from 'node:fs/promises'
import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { tmpdir, userInfo } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { promisify } from 'node:util'

export const isRoot = userInfo().uid === 0

const usualFolders = ['/usr/sbin', '/usr/local/sbin', '/usr/bin', '/usr/local/bin', '/usr/lib/mysql/bin']

/** Debian keeps the PostgreSQL server out of PATH, in a folder per version; the newest comes first. */
function postgresFolders(): string[] {
  const root = '/usr/lib/postgresql'
  if (!existsSync(root)) return []
  const versions = readdirSync(root).sort((one, other) => Number(other) - Number(one))
  return versions.map((version) => join(root, version, 'bin'))
}

/** `PROGRAM_FOLDERS` replaces all of them, so that a run can be shown a machine where nothing is installed. */
function searchedFolders(): string[] {
  const given = process.env['PROGRAM_FOLDERS']
  if (given !== undefined) return given.split(delimiter).filter((folder) => folder !== '')
  return [...postgresFolders(), ...(process.env['PATH'] ?? '').split(delimiter), ...usualFolders]
}

export function findProgram(...names: readonly string[]): string | undefined {
  const candidates = names.flatMap((name) => searchedFolders().map((folder) => join(folder, name)))
  return candidates.find((candidate) => existsSync(candidate))
}

/**
 * Below the ports that the system gives to whoever connects: a server that is killed finds its own still free when it comes
 * back, and so does what it listens at now and then.
 */
const [lowestPort, ports] = [12_000, 20_000]

/** One after the other, so that what is given here is not given twice, from where no other process is likely to begin. */
let nextPort = randomInt(ports)

async function isFree(port: number): Promise<boolean> {
  const probe = createServer().listen(port, '127.0.0.1')
  try {
    await once(probe, 'listening')
    probe.close()
    await once(probe, 'close')
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false
    throw error
  }
}

export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries += 1) {
    nextPort = (nextPort + 1) % ports
    const port = lowestPort + nextPort
    if (await isFree(port)) return port
  }
  throw new Error('no free loopback port')
}

export interface Owner {
  readonly uid: number
  readonly gid: number
}

/** PostgreSQL refuses to run as root, as does what copies a node of Galera: a user that Debian made for it, else nobody. */
export function unprivilegedOwner(user = 'postgres'): Owner | undefined {
  if (!isRoot) return undefined
  const users = readFileSync('/etc/passwd', 'utf8').split('\n')
  const line = [user, 'nobody'].flatMap((name) => users.filter((user) => user.startsWith(`${name}:`)))[0]
  const [, , uid, gid] = (line ?? 'nobody:x:65534:65534').split(':')
  return { uid: Number(uid), gid: Number(gid) }
}

export interface Running {
  readonly url: string
  readonly stop: () => Promise<void>
}

export interface Killable extends Running {
  /** As a power cut would. The data stays, and the guardian with it. */
  readonly kill: () => Promise<void>
  /** It holds its connections and answers nothing, until it is thawed or killed. */
  readonly freeze: () => Promise<void>
  readonly thaw: () => Promise<void>
  /** At the same address; resolves once it answers. */
  readonly restart: () => Promise<void>
}

/** A server whose data outlives the run. */
export interface Kept {
  readonly folder: string
  /** Settings that come after, and so win over, those for a test run. */
  readonly settings: readonly string[]
}

export interface Program {
  readonly path: string
  /** Beside what the run has in its environment. */
  readonly environment: NodeJS.ProcessEnv
}

export interface Home {
  readonly folder: string
  readonly password: string
  write(name: string, text: string): string
  /** Hands what was made there to whom the server runs as. */
  own(path: string): void
  run(program: string, parameters: readonly string[]): Promise<void>
  serve(program: Program, parameters: readonly string[], answers: () => Promise<void>): Promise<void>
  readonly stop: () => Promise<void>
  readonly kill: () => Promise<void>
  readonly freeze: () => Promise<void>
  readonly thaw: () => Promise<void>
}

// Waits on a pipe that only the test run holds, so that the server and its data go when the run ends in whatever way:
// a crash and Ctrl-C close the pipe as well. It lives in its own process group, where Ctrl-C does not reach it.
const guardianScript = `
cat > /dev/null
pid=$(cat "$1/pid" 2> /dev/null) && kill -s "$2" -- "-$pid" 2> /dev/null
tries=0
while [ -n "$pid" ] && [ $tries -lt 200 ] && kill -s 0 -- "-$pid" 2> /dev/null; do tries=$((tries + 1)); sleep 0.05; done
[ "$3" = kept ] && rm -f "$1/pid" || rm -rf "$1"
`

/** What went wrong may stand far above the last lines. */
function endOf(log: string): string {
  const text = readFileSync(log, 'utf8')
  const errors = text.split('\n').filter((line) => /\berror\b/i.test(line))
  return [...errors.slice(-20), text.slice(-2000)].join('\n')
}

/** It runs, and answers nothing. */
export class HungAtStart extends Error {}

async function whenAnswering(server: ChildProcess, answers: () => Promise<void>, log: string): Promise<void> {
  const deadline = Date.now() + 60_000
  for (;;) {
    try {
      await answers()
      return
    } catch (error) {
      if (server.exitCode !== null || Date.now() > deadline) {
        const Why = server.exitCode === null ? HungAtStart : Error
        throw new Why(`the server did not start: ${endOf(log)}`, { cause: error })
      }
      await pause(50)
    }
  }
}

/** Data that is kept needs a server that may finish its work. */
const gentle = { KILL: 'TERM', QUIT: 'INT' } as const

function makeFolder(name: string, kept: Kept | undefined): string {
  if (kept === undefined) return mkdtempSync(join(tmpdir(), `content-router-${name}-`))
  mkdirSync(kept.folder, { recursive: true })
  return kept.folder
}

/** One for all servers of a run, as PostgreSQL keeps it in the data that they share. */
function passwordIn(folder: string): string {
  const files = [folder, sharedFolder() ?? []].flat().map((one) => join(one, 'password'))
  const file = files.find((one) => existsSync(one))
  return file === undefined ? randomBytes(12).toString('hex') : readFileSync(file, 'utf8')
}

const sharedFolder = (): string | undefined => process.env['TEST_SERVER_DATA']

/** For the servers of the run that begins: a folder that is gone with the run. */
export function shareData(): Pick<Home, 'stop'> {
  const home = makeHome('data', 'KILL')
  const { folder, password, stop } = home
  home.write('password', password)
  // PostgreSQL runs as another user.
  chmodSync(folder, 0o711)
  process.env['TEST_SERVER_DATA'] = folder
  return { stop }
}

const copyFolder = (from: string, to: string): Promise<unknown> => promisify(execFile)('cp', ['-a', from, to])

/** The data of a new server. The first of its kind in a run makes it, the others copy it: MySQL takes seconds to make it. */
export async function makeData(kind: string, data: string, make: () => Promise<void>): Promise<void> {
  const shared = sharedFolder()
  if (shared === undefined) return make()
  const copy = join(shared, kind)
  if (existsSync(copy)) {
    await copyFolder(copy, data)
    return
  }
  await make()
  const own = `${copy}-${randomBytes(4).toString('hex')}`
  await copyFolder(data, own)
  // Another process may have been faster.
  await rename(own, copy).catch(() => undefined)
}

export function makeHome(name: string, stopSignal: 'KILL' | 'QUIT', owner?: Owner, kept?: Kept): Home {
  const folder = makeFolder(name, kept)
  const ending = kept === undefined ? [stopSignal] : [gentle[stopSignal], 'kept']
  const guardian = spawn('sh', ['-c', guardianScript, 'guardian', folder, ...ending], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const log = join(folder, 'log')
  const asOwner = { cwd: folder, detached: true, ...owner }
  const output = openSync(log, 'a')
  own(folder)

  let server: ChildProcess | undefined

  /** Leads a process group, whose number is the guardian's handle on it. */
  function begin({ path, environment }: Program, parameters: readonly string[]): ChildProcess {
    const env = { ...process.env, ...environment }
    const child = spawn(path, parameters, { ...asOwner, env, stdio: ['ignore', output, output] })
    writeFileSync(join(folder, 'pid'), String(child.pid))
    return child
  }

  async function run(program: string, parameters: readonly string[]): Promise<void> {
    const child = begin({ path: program, environment: {} }, parameters)
    const [code] = (await once(child, 'exit')) as [number | null]
    if (code !== 0) throw new Error(`${program} failed: ${endOf(log)}`)
  }

  async function serve(
    program: Program,
    parameters: readonly string[],
    answers: () => Promise<void>,
  ): Promise<void> {
    server = begin(program, parameters)
    server.unref()
    await whenAnswering(server, answers, log)
  }

  function signal(name: NodeJS.Signals): ChildProcess {
    if (server?.pid === undefined) throw new Error('there is no server')
    process.kill(-server.pid, name)
    return server
  }

  async function kill(): Promise<void> {
    await once(signal('SIGKILL'), 'exit')
  }

  /** A signal that is sent has not yet arrived: until then a thread may answer one more request. */
  async function freeze(): Promise<void> {
    const { pid } = signal('SIGSTOP')
    const tasks = `/proc/${String(pid)}/task`
    const runs = (task: string): boolean => !readFileSync(`${tasks}/${task}/stat`, 'utf8').includes(') T ')
    // Only Linux lists the threads.
    while (existsSync(tasks) && readdirSync(tasks).some(runs)) await pause(5)
  }

  function thaw(): Promise<void> {
    signal('SIGCONT')
    return Promise.resolve()
  }

  async function stop(): Promise<void> {
    const ended = once(guardian, 'exit')
    guardian.stdin.end()
    await ended
  }

  function own(path: string): void {
    if (owner) chownSync(path, owner.uid, owner.gid)
  }

  function write(file: string, text: string): string {
    const path = join(folder, file)
    writeFileSync(path, text, { mode: 0o600 })
    own(path)
    return path
  }

  return { folder, password: passwordIn(folder), write, own, run, serve, stop, kill, freeze, thaw }
}

export function besideOf(program: string, name: string): string {
  return join(dirname(program), name)
}
