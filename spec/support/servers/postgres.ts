import { Client } from 'pg'
import { findProgram, besideOf, freePort, makeHome, unprivilegedOwner, type Running } from './private-server'
import { realpathSync } from 'node:fs'

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

export async function startPostgres(): Promise<Running | undefined> {
  const server = findProgram('postgres')
  if (server === undefined) return undefined
  const owner = unprivilegedOwner()
  const home = makeHome('postgres', 'QUIT', owner)
  try {
    const port = await freePort()
    const data = `${home.folder}/data`
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
    const url = `postgres://tester:${home.password}@127.0.0.1:${String(port)}/postgres`
    const settings = Object.entries({
      ...smallAndFast,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: home.folder,
    }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    await home.serve(server, ['-D', data, '-p', String(port), ...settings], () => connects(url))
    return { url, stop: home.stop }
  } catch (error) {
    await home.stop()
    throw error
  }
}
