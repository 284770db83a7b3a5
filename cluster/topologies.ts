import { knex as makeKnex, type Knex } from 'knex'
import { startGalera } from '../spec/support/servers/galera'
import { startHaProxy } from '../spec/support/servers/haproxy'
import { startPgBouncer } from '../spec/support/servers/pgbouncer'
import { startPostgres } from '../spec/support/servers/postgres'
import type { Killable } from '../spec/support/servers/private-server'
import { startPair } from '../spec/support/servers/replica'
import { configOf, type Writing } from './content'

/** Something that befalls a topology, and how it is mended. */
export interface Blow {
  readonly name: string
  readonly strike: (writing: Writing) => Promise<void>
  readonly mend: () => Promise<void>
  /** Nothing is left that could answer. */
  readonly takesAll?: true
}

/** Servers as they stand together. */
export interface Topology {
  readonly name: string
  /** Where the router reads, once for each way to do so. */
  readonly ways: readonly {
    readonly name: string
    readonly database: Knex.Config | readonly Knex.Config[]
    /** Whose word counts for what is stale: whoever writes, the server that is read, or nobody's. */
    readonly judgedBy: 'writer' | 'reader' | 'nobody'
    readonly isAlone?: true
  }[]
  readonly primary: string
  readonly reader: string
  readonly blows: readonly Blow[]
  readonly stop: () => Promise<void>
}

const nothingToDo = (): Promise<void> => Promise.resolve()

const killed = (server: Killable): Blow => ({ name: 'kill -9', strike: server.kill, mend: server.restart })
const frozen = (server: Killable): Blow => ({ name: 'freeze', strike: server.freeze, mend: server.thaw })
const alone = (blow: Blow): Blow => ({ ...blow, takesAll: true })

async function pooled(mode: 'transaction' | 'session'): Promise<Topology | undefined> {
  const server = await startPostgres()
  const pooler = server && (await startPgBouncer(new URL(server.url), mode))
  if (server === undefined || pooler === undefined) return undefined
  return {
    name: `PgBouncer, ${mode}`,
    ways: [{ name: 'one address', database: configOf(pooler.url), judgedBy: 'writer' }],
    primary: server.url,
    reader: server.url,
    blows: [killed(pooler), frozen(pooler), killed(server)].map(alone),
    stop: async () => {
      await pooler.stop()
      await server.stop()
    },
  }
}

async function followed(name: 'postgres' | 'mariadb'): Promise<Topology | undefined> {
  const pair = await startPair(name)
  if (pair === undefined) return undefined
  const { primary, follower, holdBack, letGo, stop } = pair
  const promote = async (writing: Writing): Promise<void> => {
    await primary.kill()
    const knex = makeKnex(configOf(follower.url))
    await knex.raw('select pg_promote()')
    await knex.destroy()
    await writing.moveTo(follower.url)
  }
  const promotion: Blow = { name: 'promotion', strike: promote, mend: nothingToDo }
  const both = [configOf(primary.url), configOf(follower.url)]
  return {
    name: name === 'postgres' ? 'PostgreSQL and standby' : 'MariaDB and replica',
    ways: [
      { name: 'a list', database: both, judgedBy: 'nobody' },
      { name: 'the follower', database: configOf(follower.url), judgedBy: 'reader', isAlone: true },
    ],
    primary: primary.url,
    reader: follower.url,
    blows: [
      { name: 'lag', strike: holdBack, mend: letGo },
      frozen(follower),
      killed(follower),
      ...(name === 'postgres' ? [promotion] : []),
    ],
    stop,
  }
}

/** What is read waits for what the other nodes have committed. */
const synchronous: Partial<Knex.Config> = {
  pool: {
    min: 2,
    max: 10,
    afterCreate: (connection: { query(sql: string, done: unknown): void }, done: unknown) => {
      connection.query('set session wsrep_sync_wait = 1', done)
    },
  },
}

async function galera(): Promise<Topology | undefined> {
  const cluster = await startGalera()
  const [first, second, third] = cluster?.nodes ?? []
  if (cluster === undefined || first === undefined || second === undefined || third === undefined)
    return undefined
  const balancer = await startHaProxy(cluster.nodes.map(({ url }) => new URL(url)))
  if (balancer === undefined) return undefined
  const cutOff: Blow = { name: 'cut off', strike: third.cutOff, mend: third.join }
  return {
    name: 'Galera of three',
    ways: [
      { name: 'HAProxy', database: configOf(balancer.url, synchronous), judgedBy: 'writer' },
      {
        name: 'a list',
        database: cluster.nodes.map(({ url }) => configOf(url, synchronous)),
        judgedBy: 'writer',
      },
    ],
    primary: first.url,
    reader: first.url,
    // While the nodes find out who is left, none of them can say that it shows all that was committed.
    blows: [cutOff, frozen(second), killed(second)].map(alone),
    stop: async () => {
      await balancer.stop()
      await cluster.stop()
    },
  }
}

export const starts: readonly (() => Promise<Topology | undefined>)[] = [
  () => pooled('transaction'),
  () => pooled('session'),
  () => followed('postgres'),
  () => followed('mariadb'),
  galera,
]
