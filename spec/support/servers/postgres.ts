import { Client } from 'pg'
import { existsSync, realpathSync } from 'node:fs'
import {
  findProgram,
  besideOf,
  freePort,
  type Home,
  type Kept,
  makeData,
  makeHome,
  unprivilegedOwner,
  type Killable,
} from './private-server'

/**
 * Small, and careless about a power cut: the data lives as long as the test run. What is committed outlives a server that is
 * killed all the same: one that forgets what it had acknowledged makes every reader stale.
 */
const smallAndFast = {
  fsync: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  shared_buffers: '64MB',
  max_connections: '500',
}

async function connects(url: string): Promise<void> {
  const client = new Client(url)
  await client.connect()
  await client.end()
}

async function install(home: Home, server: string, data: string): Promise<void> {
  if (existsSync(data)) return
  const passwordFile = home.write('password', home.password)
  const parameters = [
    `--pgdata=${data}`,
    '--username=tester',
    '--auth=password',
    `--pwfile=${passwordFile}`,
    '--encoding=UTF8',
    '--locale=C.UTF-8',
    '--no-sync',
  ]
  await makeData('postgres', data, () => home.run(besideOf(realpathSync(server), 'initdb'), parameters))
}

/** The processes of a killed server leave one after the other, and until then hold what the next one wants. */
async function inTheEnd(serve: () => Promise<void>, tries = 20): Promise<void> {
  try {
    await serve()
  } catch (error) {
    if (tries === 0) throw error
    await inTheEnd(serve, tries - 1)
  }
}

/** The whole of another server, which it goes on following. */
const copyOf =
  (primary: string) =>
  (home: Home, server: string, data: string): Promise<void> =>
    home.run(besideOf(realpathSync(server), 'pg_basebackup'), [
      `--pgdata=${data}`,
      `--dbname=${primary}`,
      '--write-recovery-conf',
      '--checkpoint=fast',
      '--no-sync',
    ])

interface PostgresStart {
  readonly install: typeof install
  readonly options: readonly string[]
  readonly environment?: NodeJS.ProcessEnv
  readonly kept?: Kept | undefined
  /** Where the data brings its own. */
  readonly password?: string
}

/** `POSTGRES` names one of another release. */
export const findPostgres = (): string | undefined => process.env['POSTGRES'] ?? findProgram('postgres')

async function startServer(start: PostgresStart): Promise<Killable | undefined> {
  const { options, environment = {}, kept } = start
  const server = findPostgres()
  if (server === undefined) return undefined
  const owner = unprivilegedOwner()
  const home = makeHome('postgres', 'QUIT', owner, kept)
  try {
    const port = await freePort()
    const data = `${home.folder}/data`
    await start.install(home, server, data)
    const url = `postgres://tester:${start.password ?? home.password}@127.0.0.1:${String(port)}/postgres`
    const settings = Object.entries({
      ...smallAndFast,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: home.folder,
    }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const parameters = ['-D', data, '-p', String(port), ...settings, ...options]
    const serve = (): Promise<void> =>
      home.serve({ path: server, environment }, parameters, () => connects(url))
    await serve()
    const { stop, kill, freeze, thaw } = home
    return { url, stop, kill, freeze, thaw, restart: () => inTheEnd(serve) }
  } catch (error) {
    await home.stop()
    throw error
  }
}

export const startPostgres = (
  kept?: Kept,
  options: readonly string[] = kept?.settings ?? [],
  environment: NodeJS.ProcessEnv = {},
): Promise<Killable | undefined> => startServer({ install, options, environment, kept })

export interface Standby {
  readonly primary: Killable
  readonly standby: Killable
}

const replicating = ['-c', 'wal_level=replica', '-c', 'max_wal_senders=8']

/** A server and another that follows it; each gets its own options besides. */
export async function startWithStandby(
  ofPrimary: readonly string[] = [],
  ofStandby: readonly string[] = [],
): Promise<Standby | undefined> {
  const primary = await startServer({ install, options: [...replicating, ...ofPrimary] })
  if (primary === undefined) return undefined
  const standby = await startStandbyOf(primary, ofStandby)
  return standby && { primary, standby }
}

const startStandbyOf = ({ url }: Killable, options: readonly string[]): Promise<Killable | undefined> =>
  startServer({
    install: copyOf(url),
    options: [...replicating, ...options],
    password: decodeURIComponent(new URL(url).password),
  })

export interface Cascade extends Standby {
  /** Follows the standby, and knows nothing of the primary. */
  readonly last: Killable
}

/** A standby can be copied only where whole pages are in the log, and followed after it was away if the log is kept. */
const copied = ['-c', 'full_page_writes=on', '-c', 'wal_keep_size=64MB']

/** A server, its standby, and a standby of that. */
export async function startCascade(): Promise<Cascade | undefined> {
  const pair = await startWithStandby(copied, copied)
  const last = pair && (await startStandbyOf(pair.standby, copied))
  return last && { ...pair, last }
}
