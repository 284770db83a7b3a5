import type { DatabaseName } from './servers'
import { isGaleraInstalled } from './servers/galera'
import { findMariaDb } from './servers/mariadb'
import { findMySql } from './servers/mysql'
import { findPostgres } from './servers/postgres'
import { findProgram } from './servers/private-server'

interface Tool {
  readonly isThere: (database: DatabaseName) => boolean
  readonly remedy: string
}

const servers: Readonly<Record<DatabaseName, () => unknown>> = {
  sqlite: () => true,
  mariadb: findMariaDb,
  mysql: findMySql,
  postgres: findPostgres,
}

const program = (name: string, remedy: string): Tool => ({
  isThere: () => findProgram(name) !== undefined,
  remedy,
})

/** Programs that some specs start themselves, besides the databases of the run. */
const tools = {
  'an installed server': {
    isThere: (database) => servers[database]() !== undefined,
    remedy: 'an address in TEST_…_URL is not enough',
  },
  'an installed PostgreSQL': {
    isThere: () => findPostgres() !== undefined,
    remedy: 'apt-get install postgresql',
  },
  Galera: { isThere: isGaleraInstalled, remedy: 'apt-get install mariadb-server galera-4 rsync' },
  HAProxy: program('haproxy', 'apt-get install haproxy'),
  PgBouncer: program('pgbouncer', 'apt-get install pgbouncer'),
  Varnish: program('varnishd', 'apt-get install varnish'),
  'a C compiler on Linux': {
    isThere: () => process.platform === 'linux' && findProgram('cc') !== undefined,
    remedy: 'apt-get install gcc',
  },
} as const satisfies Readonly<Record<string, Tool>>

export type Need = keyof typeof tools

/** The first of these tools that is missing, as a reason in a title. */
export function missingTool(database: DatabaseName, needs: readonly Need[]): string | undefined {
  const missing = needs.find((need) => !tools[need].isThere(database))
  return missing === undefined ? undefined : `needs ${missing}: ${tools[missing].remedy}`
}
