import type { Knex } from 'knex'
import { startGalera } from '../../spec/support/servers/galera'
import { startHaProxy } from '../../spec/support/servers/haproxy'
import { startPgBouncer } from '../../spec/support/servers/pgbouncer'
import { startCascade, startPostgres } from '../../spec/support/servers/postgres'
import type { Killable } from '../../spec/support/servers/private-server'
import { pausing, promoted, startPair } from '../../spec/support/servers/replica'
import { configOf, untilShown, type Writing } from './content'

/** Something that befalls a topology, and how it is mended. */
export interface Blow {
  readonly name: string
  readonly strike: (writing: Writing) => Promise<void>
  readonly mend: (writing: Writing) => Promise<void>
}

/** Servers as they stand together. */
export interface Topology {
  readonly name: string
  /** Where the router reads. */
  readonly database: Knex.Config
  /** Whose word counts for what is stale: whoever writes, or the server that is read. */
  readonly judgedBy: 'writer' | 'reader'
  /** A 503 counts as refused while none of these answers by itself. */
  readonly nodes: readonly Knex.Config[]
  readonly primary: string
  readonly reader: string
  readonly blows: readonly Blow[]
  readonly stop: () => Promise<void>
}

const nothingToDo = (): Promise<void> => Promise.resolve()

const killed = (server: Killable): Blow => ({ name: 'kill -9', strike: server.kill, mend: server.restart })
const frozen = (server: Killable): Blow => ({ name: 'freeze', strike: server.freeze, mend: server.thaw })

/** The server goes, and what followed it takes its place. */
const promotion = (primary: Killable, heir: Killable): Pick<Blow, 'name' | 'strike'> => ({
  name: 'promotion',
  strike: async (writing) => {
    await primary.kill()
    await promoted(heir)
    await writing.moveTo(heir.url)
  },
})

async function pooled(mode: 'transaction' | 'session'): Promise<Topology | undefined> {
  const server = await startPostgres()
  const pooler = server && (await startPgBouncer(new URL(server.url), mode))
  if (server === undefined || pooler === undefined) return undefined
  const database = configOf(pooler.url)
  return {
    name: `PgBouncer, ${mode}`,
    database,
    judgedBy: 'writer',
    nodes: [database],
    primary: server.url,
    reader: server.url,
    blows: [killed(pooler), frozen(pooler), killed(server)],
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
  const reading = configOf(follower.url)
  return {
    name: name === 'postgres' ? 'Standby of PostgreSQL' : 'Replica of MariaDB',
    database: reading,
    judgedBy: 'reader',
    nodes: [reading],
    primary: primary.url,
    reader: follower.url,
    blows: [
      { name: 'lag', strike: holdBack, mend: letGo },
      frozen(follower),
      killed(follower),
      { ...promotion(primary, follower), mend: nothingToDo },
    ],
    stop,
  }
}

/** The last follows another on which the log takes a new course while it is read from memory. */
async function cascaded(): Promise<Topology | undefined> {
  const servers = await startCascade()
  if (servers === undefined) return undefined
  const { primary, standby, last } = servers
  const reading = configOf(last.url)
  const { holdBack, letGo } = pausing(last)
  return {
    name: 'Standby of a standby of PostgreSQL',
    database: reading,
    judgedBy: 'reader',
    nodes: [reading],
    primary: primary.url,
    reader: last.url,
    blows: [
      { name: 'lag', strike: holdBack, mend: letGo },
      killed(standby),
      { ...promotion(primary, standby), mend: (writing) => untilShown(last.url, writing.done() + 1) },
      killed(last),
    ],
    stop: async () => {
      await Promise.all([primary.stop(), standby.stop(), last.stop()])
    },
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
    name: 'Galera of three behind HAProxy',
    database: configOf(balancer.url, synchronous),
    judgedBy: 'writer',
    nodes: cluster.nodes.map(({ url }) => configOf(url, synchronous)),
    primary: first.url,
    reader: first.url,
    blows: [cutOff, frozen(second), killed(second)],
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
  cascaded,
]
