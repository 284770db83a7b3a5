import { createConnection } from 'mysql2/promise'
import { Client } from 'pg'
import { startMariaDb } from './mariadb'
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

async function startReplica(): Promise<Pair | undefined> {
  const settings = ['--log-bin=log', '--binlog-format=ROW', ...survivesKill]
  const primary = await startMariaDb(undefined, [...settings, '--server-id=1'])
  const follower = primary && (await startMariaDb(undefined, [...settings, '--server-id=2']))
  if (primary === undefined || follower === undefined) return undefined
  // What each did to begin with is not to be done by the other.
  for (const { url } of [primary, follower]) await run(url, 'reset master')
  const { port, username, password } = new URL(primary.url)
  await run(
    follower.url,
    `change master to master_host='127.0.0.1', master_port=${port}, master_user='${username}',
      master_password='${password}', master_connect_retry=1, master_use_gtid=slave_pos`,
    'start slave',
  )
  return {
    primary,
    follower,
    holdBack: () => run(follower.url, 'stop slave'),
    letGo: () => run(follower.url, 'start slave'),
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
    ? run(url, 'stop slave', 'reset slave all')
    : say({ url } as Killable, 'select pg_promote()')

/** Undefined where the server is not installed. */
export const startPair = (name: 'postgres' | 'mariadb'): Promise<Pair | undefined> =>
  name === 'postgres' ? startStandby() : startReplica()
