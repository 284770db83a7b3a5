import type { Knex } from 'knex'
import { DatabaseError } from '../errors'

/** The kinds of databases that stand as servers side by side. */
export type ServerDialect = 'mysql' | 'postgres'

type MySqlRow = Readonly<Record<string, unknown>>

/**
 * Milliseconds that a standby is behind. One that has replayed all it received, from a primary that it is connected to,
 * is not; for any other it is how long ago its latest commit was made.
 */
const lagOfStandby = `select case when not pg_is_in_recovery() then 0
  when exists (select from pg_stat_wal_receiver) and pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() then 0
  else extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp()) * 1000 end::float8 as lag`

async function lagOnPostgres(knex: Knex): Promise<number> {
  const { rows } = await knex.raw<{ rows: readonly { readonly lag: number | null }[] }>(lagOfStandby)
  return rows[0]?.lag ?? Infinity
}

const rowsOf = async (knex: Knex, statement: string): Promise<readonly MySqlRow[]> =>
  (await knex.raw<readonly [readonly MySqlRow[]]>(statement))[0]

const rowOf = async (knex: Knex, statement: string): Promise<MySqlRow | undefined> =>
  (await rowsOf(knex, statement)).at(0)

/** A node of Galera that is cut off takes connections, and refuses whoever reads. */
async function checkGalera(knex: Knex): Promise<void> {
  const on = await rowOf(knex, `show global variables where variable_name = 'wsrep_on'`)
  if (on?.['Value'] !== 'ON') return
  const ready = await rowOf(knex, `show global status where variable_name = 'wsrep_ready'`)
  if (ready?.['Value'] !== 'ON') throw new DatabaseError('ER_UNKNOWN_COM_ERROR', 'it is cut off')
}

/** MariaDB and MySQL call it by different names, and say null of a replica that does not follow. */
const secondsIn = (status: MySqlRow): number =>
  Number(status['Seconds_Behind_Source'] ?? status['Seconds_Behind_Master'] ?? Infinity)

/** One that follows several is as far behind as it is behind any of them. MariaDB tells of those with names where it is asked for all. */
async function lagOnMySql(knex: Knex): Promise<number> {
  const about = await rowOf(knex, 'select version() as version')
  const isMariaDb = String(about?.['version']).includes('MariaDB')
  const followed = await rowsOf(knex, isMariaDb ? 'show all slaves status' : 'show replica status')
  return Math.max(0, ...followed.map(secondsIn)) * 1000
}

export interface HealthQuestion {
  readonly dialect: ServerDialect
  /** Whether it matters how far it is behind, which takes a privilege to ask on MySQL and MariaDB. */
  readonly asksLag: boolean
}

/** How many milliseconds a server is behind what it follows. Rejects where it serves nobody. */
export async function lagOfServer(knex: Knex, { dialect, asksLag }: HealthQuestion): Promise<number> {
  if (dialect === 'postgres') return lagOnPostgres(knex)
  await checkGalera(knex)
  return asksLag ? lagOnMySql(knex) : 0
}
