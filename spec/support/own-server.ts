import type { TestDatabase, World } from './databases'
import type { Killable } from './servers/private-server'
import { startMariaDb } from './servers/mariadb'
import { startMySql } from './servers/mysql'
import { startPostgres } from './servers/postgres'

const mySql = [
  // Statistics that are written anew, some ten seconds after many rows have changed, are a commit like any other.
  '--innodb-stats-auto-recalc=0',
  // Newer servers can follow foreign keys in two ways; this is that of all others.
  '--loose-innodb-native-foreign-keys=ON',
]
const postgres = [
  // So that what changes can be followed, by whoever asks for it.
  ...['-c', 'wal_level=logical', '-c', 'max_wal_senders=40', '-c', 'max_replication_slots=40'],
]

const starts = {
  sqlite: { variable: '', start: () => Promise.resolve(undefined) },
  mariadb: {
    variable: 'TEST_MARIADB_URL',
    start: (environment: NodeJS.ProcessEnv) => startMariaDb(undefined, mySql, environment),
  },
  mysql: {
    variable: 'TEST_MYSQL_URL',
    start: (environment: NodeJS.ProcessEnv) => startMySql(undefined, mySql, environment),
  },
  postgres: { variable: 'TEST_POSTGRES_URL', start: () => startPostgres(undefined, postgres) },
} as const

export interface OwnWorld extends World {
  /** For use in tests: to be killed, and to come back. */
  readonly server: () => Killable
}

/**
 * A world on a server that no other spec writes to: the counters that tell of commits are the server's. Where the server
 * is not installed, it is the one that was given to the run. The environment is MariaDB's alone.
 */
export function onOwnServer(
  { name }: TestDatabase,
  makeWorld: () => World,
  environment: NodeJS.ProcessEnv = {},
): OwnWorld {
  const { variable, start } = starts[name]
  let running: Killable | undefined
  let shared: string | undefined
  beforeAll(async () => {
    running = await start(environment)
    shared = process.env[variable]
    // Each file of specs has an environment of its own.
    if (running !== undefined) process.env[variable] = running.url
  }, 150_000)
  const world = makeWorld()
  afterAll(async () => {
    await running?.stop()
    if (running !== undefined && shared !== undefined) process.env[variable] = shared
  })
  return Object.assign(world, {
    server: () => {
      if (running === undefined) throw new Error(`a ${name} server of the spec's own has to be installed`)
      return running
    },
  })
}

/** The same database, whose worlds stand on a server that no other spec writes to. */
export const alone = (database: TestDatabase): TestDatabase => ({
  ...database,
  fresh: () => onOwnServer(database, () => database.fresh()),
})
