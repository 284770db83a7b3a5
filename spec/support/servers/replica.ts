import { createConnection } from 'mysql2/promise'
import { Client } from 'pg'
import { startMariaDb } from './mariadb'
import { startMySql } from './mysql'
import { startWithStandby } from './postgres'
import type { Killable } from './private-server'

/** A server, and another that follows it and can be told to wait. */
export interface Pair {
  readonly primary: Killable
  readonly follower: Killable
  readonly holdBack: () => Promise<void>
  readonly letGo: () => Promise<void>
  readonly stop: () => Promise<void>
}

async function run(url: string, ...statements: readonly string[]): Promise<void> {
  const connection = await createConnection(url)
  try {
    for (const statement of statements) await connection.query(statement)
  } finally {
    connection.destroy()
  }
}

/** What a replica that is killed had applied is to be there again: otherwise the two no longer agree on where it was. */
const survivesKill = ['--innodb-flush-log-at-trx-commit=1', '--sync-binlog=1']

/**
 * By a name of its own each, as whoever follows several has them: a server tells less of those that have one. Since 8.4 MySQL
 * gives up after ten tries, which are ten seconds here: less than a source that was killed may take to come back.
 */
const following = {
  mariadb: {
    start: startMariaDb,
    settings: ['--log-bin=log', '--binlog-format=ROW', ...survivesKill],
    source: ({ port, username, password }: URL): string =>
      `change master 'site' to master_host='127.0.0.1', master_port=${port}, master_user='${username}',
        master_password='${password}', master_connect_retry=1, master_use_gtid=slave_pos`,
    begin: 'start all slaves',
    end: 'stop all slaves',
  },
  mysql: {
    start: startMySql,
    settings: ['--log-bin=log', '--gtid-mode=ON', '--enforce-gtid-consistency=ON', ...survivesKill],
    source: ({ port, username, password }: URL): string =>
      `change replication source to source_host='127.0.0.1', source_port=${port}, source_user='${username}',
        source_password='${password}', source_connect_retry=1, source_retry_count=86400, source_auto_position=1,
        get_source_public_key=1 for channel 'site'`,
    begin: 'start replica',
    end: 'stop replica',
  },
} as const

async function startReplica(name: 'mariadb' | 'mysql'): Promise<Pair | undefined> {
  const { start, settings, source, begin, end } = following[name]
  const startAs = (id: number): Promise<Killable | undefined> =>
    start(undefined, [...settings, `--server-id=${String(id)}`])
  const primary = await startAs(1)
  const follower = primary && (await startAs(2))
  if (primary === undefined || follower === undefined) return undefined
  // What each did to begin with is not to be done by the other.
  for (const { url } of [primary, follower])
    await run(url, name === 'mariadb' ? 'reset master' : 'reset binary logs and gtids')
  await run(follower.url, source(new URL(primary.url)), begin)
  return {
    primary,
    follower,
    holdBack: () => run(follower.url, end),
    letGo: () => run(follower.url, begin),
    stop: async () => {
      await Promise.all([primary.stop(), follower.stop()])
    },
  }
}

async function say({ url }: Killable, statement: string): Promise<void> {
  const client = new Client(url)
  await client.connect()
  await client.query(statement)
  await client.end()
}

/** Keeps a standby from replaying what it receives, until it is let go. */
export const pausing = (standby: Killable): Pick<Pair, 'holdBack' | 'letGo'> => ({
  holdBack: () => say(standby, 'select pg_wal_replay_pause()'),
  letGo: () => say(standby, 'select pg_wal_replay_resume()'),
})

async function startStandby(): Promise<Pair | undefined> {
  const servers = await startWithStandby()
  if (servers === undefined) return undefined
  const { primary, standby: follower } = servers
  return {
    primary,
    follower,
    ...pausing(follower),
    stop: async () => {
      await Promise.all([primary.stop(), follower.stop()])
    },
  }
}

/** Makes a follower one that others may write to. */
export const promoted = ({ url }: Killable): Promise<void> =>
  url.startsWith('mysql:')
    ? run(url, 'stop replica', 'reset replica all')
    : say({ url } as Killable, 'select pg_promote()')

/** Undefined where the server is not installed. */
export const startPair = (name: 'postgres' | 'mariadb' | 'mysql'): Promise<Pair | undefined> =>
  name === 'postgres' ? startStandby() : startReplica(name)
