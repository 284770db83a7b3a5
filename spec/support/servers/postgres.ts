import { Client } from 'pg'
import { existsSync, realpathSync } from 'node:fs'
import {
  findProgram,
  besideOf,
  freePort,
  type Home,
  type Kept,
  makeHome,
  unprivilegedOwner,
  type Killable,
} from './private-server'

/** Small, and careless about a power cut: the data lives as long as the test run. */
const smallAndFast = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  shared_buffers: '64MB',
  max_connections: '200',
}

async function connects(url: string): Promise<void> {
  const client = new Client(url)
  await client.connect()
  await client.end()
}

async function install(home: Home, server: string, data: string): Promise<void> {
  if (existsSync(data)) return
  const passwordFile = home.write('password', home.password)
  await home.run(besideOf(realpathSync(server), 'initdb'), [
    `--pgdata=${data}`,
    '--username=tester',
    '--auth=password',
    `--pwfile=${passwordFile}`,
    '--encoding=UTF8',
    '--locale=C.UTF-8',
    '--no-sync',
  ])
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

export async function startPostgres(
  kept?: Kept,
  options: readonly string[] = kept?.settings ?? [],
  environment: NodeJS.ProcessEnv = {},
): Promise<Killable | undefined> {
  const server = findProgram('postgres')
  if (server === undefined) return undefined
  const owner = unprivilegedOwner()
  const home = makeHome('postgres', 'QUIT', owner, kept)
  try {
    const port = await freePort()
    const data = `${home.folder}/data`
    await install(home, server, data)
    const url = `postgres://tester:${home.password}@127.0.0.1:${String(port)}/postgres`
    const settings = Object.entries({
      ...smallAndFast,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: home.folder,
    }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const parameters = ['-D', data, '-p', String(port), ...settings, ...options]
    const serve = (): Promise<void> =>
      home.serve({ path: server, environment }, parameters, () => connects(url))
    await serve()
    return { url, stop: home.stop, kill: home.kill, restart: () => inTheEnd(serve) }
  } catch (error) {
    await home.stop()
    throw error
  }
}
