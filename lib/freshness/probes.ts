import { randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { DialectName } from '../database'
import { DatabaseError } from '../errors'
import { once } from '../memory'
import type { Probe, ProbeResult, RunSql } from './probing'

/**
 * The server of a statement, because a balancer may choose another for each. Copies of a server may have equal names,
 * and with a wrong clock an equal start. The end of `uuid()` is a number of the start, and the machine's own.
 */
export const mysqlServer = `concat_ws(' ', @@server_id, @@hostname, @@port, substr(uuid(), 20), database())`

/** The second of the start belongs to the state: after a crash a log may reach the same place again. */
const server = `unix_timestamp() as now, ${mysqlServer}`

const ofMariaDb = `select lower(variable_name), variable_value, ${server} from information_schema.global_status
  where variable_name in ('innodb_lsn_current', 'wsrep_ready', 'uptime')`

/**
 * MySQL publishes the end of its log up to 20 ms after a commit, and later while the log is resized. The number of
 * writes moves before that, but is not exact: two threads in the same nanosecond can count as one. So the state has
 * both.
 */
const countersOfMySql = ['innodb_redo_log_current_lsn', 'innodb_log_write_requests']

const ofMySql = `select lower(variable_name), variable_value, ${server} from performance_schema.global_status
  where variable_name in ('innodb_redo_log_current_lsn', 'innodb_log_write_requests', 'innodb_redo_log_enabled',
    'wsrep_ready', 'uptime')`

interface Question {
  readonly sql: string
  readonly counters: readonly string[]
  /** A Galera node that is cut off responds, but its counter stands still and it refuses to read tables. */
  readonly isGalera: boolean
}

const questions = new WeakMap<object, Question | null>()

const aboutServer = `show global variables
  where variable_name in ('version', 'innodb_read_only', 'aurora_version', 'wsrep_on')`

function questionFor(about: ReadonlyMap<string, string>): Question | null {
  // Other servers write the data of such a server, so that its own log does not count them.
  if (about.get('innodb_read_only') === 'ON' || about.has('aurora_version')) return null
  const isGalera = about.get('wsrep_on') === 'ON'
  if (about.get('version')?.includes('MariaDB') === true)
    return { sql: ofMariaDb, counters: ['innodb_lsn_current'], isGalera }
  return { sql: ofMySql, counters: countersOfMySql, isGalera }
}

/** Read once for each connection. */
async function questionOn(run: RunSql, connection: object): Promise<Question | null> {
  const known = questions.get(connection)
  if (known !== undefined) return known
  const rows = await run(aboutServer)
  const question = questionFor(new Map(rows.map(([name, value]) => [String(name), String(value)])))
  questions.set(connection, question)
  return question
}

function checkReady(ready: unknown): void {
  // The code is that of a refused read.
  if (ready !== 'ON') throw new DatabaseError('ER_UNKNOWN_COM_ERROR', 'this node of Galera is cut off')
}

function resultOf(
  { counters }: Question,
  values: ReadonlyMap<unknown, unknown>,
  [now, name]: readonly unknown[],
): ProbeResult | null {
  const counts = counters.map((counter) => values.get(counter))
  if (!values.has('uptime') || counts.includes(undefined)) return null
  const seconds = Number(values.get('uptime'))
  // The log may be switched off for bulk loads. In the second of its start a server may start again unnoticed.
  const isUnknown = values.get('innodb_redo_log_enabled') === 'OFF' || seconds < 1
  return {
    count: isUnknown ? null : counts.join(' '),
    server: `${String(Number(now) - seconds)} ${String(name)}`,
  }
}

/** The end of the redo log counts after it stood still, because a commit is logged a moment before it is visible. */
export const mysqlProbe: Probe = {
  read: async (run, connection) => {
    const question = await questionOn(run, connection)
    if (question === null) return null
    const rows = await run(question.sql)
    const values = new Map(rows.map(([name, value]) => [name, value]))
    const [first] = rows
    if (question.isGalera) checkReady(values.get('wsrep_ready'))
    return first === undefined ? null : resultOf(question, values, first.slice(2))
  },
  check: async (run, connection) => {
    const question = await questionOn(run, connection)
    if (question?.isGalera !== true) return
    const [row] = await run(`show global status where variable_name = 'wsrep_ready'`)
    checkReady(row?.[1])
  },
  isAskedBehindPage: true,
  // Behind one connection the state may come from another server than the page.
  ofPage: ({ state, shown }) =>
    typeof state === 'string' && shown?.server.endsWith(` ${state}`) === true ? shown : null,
  ahead: 100,
  // A balancer responds to the first itself, and passes the second on.
  about: ['select version()', aboutServer],
  uncounted: `select table_name from information_schema.tables
    where table_schema = database() and (engine is null or engine <> 'InnoDB' or table_type = 'TEMPORARY')`,
}

/**
 * SQL of the state that its statement sees: the snapshot, and the server. Transaction numbers may be repeated after a
 * crash, which resets the statistics. A standby lists no running transactions, so that its state is unknown. The search
 * path decides which tables names mean.
 */
export const postgresState = {
  count: 'case when pg_is_in_recovery() then null else pg_current_snapshot()::text end',
  server: `concat_ws(' ', extract(epoch from pg_postmaster_start_time()),
      extract(epoch from pg_stat_get_bgwriter_stat_reset_time()), current_database(), current_schemas(false)::text)`,
} as const

/**
 * The state of a standby is its place in the replayed log and its snapshot. The place moves a moment after data become
 * visible. The snapshot stays the same at some commits. Both are read before the page. In the statement of the page, they
 * could be newer than the snapshot of this statement.
 */
const postgresQuestion = `select case when pg_is_in_recovery()
    then 'replayed ' || pg_last_wal_replay_lsn()::text || ' ' || pg_current_snapshot()::text
    else ${postgresState.count} end, ${postgresState.server}`

export const makePostgresProbe = (beside: string | null): Probe => ({
  read: async (run) => {
    const [row] = await run(beside === null ? postgresQuestion : `${postgresQuestion}, ${beside}`)
    const [shown = null, server, value = null] = (row ?? []) as readonly (string | null)[]
    if (typeof server !== 'string') return null
    return { count: shown, server, ...(beside === null ? {} : { beside: value }) }
  },
  ofPage: ({ state }) => {
    if (typeof state !== 'string') return null
    const end = state.indexOf(' ')
    return { count: state.slice(0, end), server: state.slice(end + 1) }
  },
  ahead: 0,
  about: [
    'select version()',
    `select extname::text from pg_extension where extname = 'citus'
      union all select proname::text from pg_proc where proname = 'aurora_version'`,
  ],
  // Row security may depend on a setting of the connection or on the time of day.
  uncounted: `with recursive below (whole, part) as (
      select inhparent, inhrelid from pg_inherits
      union select below.whole, i.inhrelid from below join pg_inherits i on i.inhparent = below.part)
    select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where (n.nspname = any (current_schemas(false)) or n.oid = pg_my_temp_schema()) and (
      c.relkind in ('v', 'f') or c.relpersistence = 't' or row_security_active(c.oid) or exists (
        select from below join pg_class p on p.oid = below.part where below.whole = c.oid and p.relkind = 'f'))`,
})

/** Commits of others, and changes of this connection: numbers with a meaning on one connection only. */
export const sqliteState = `(select d.data_version || ' ' || s.schema_version || ' ' || total_changes()
  from pragma_data_version d, pragma_schema_version s)`

interface CountedConnection {
  readonly name: string
  readonly memory: boolean
  readonly inTransaction: boolean
}

function fileAt(path: string): string {
  const { dev, ino } = statSync(path)
  return `${String(dev)} ${String(ino)}`
}

/** States of a connection. They end once its file is replaced by another. */
function makeSqliteProbe(): Probe {
  // The numbers begin again in every process.
  const process = randomUUID()
  let connections = 0

  const open = ({ name, memory }: CountedConnection) => {
    const path = resolve(name)
    connections += 1
    // A database in memory is its connection's own.
    return { number: connections, path, file: memory ? `${process} ${String(connections)}` : fileAt(path) }
  }
  const known = new WeakMap<object, ReturnType<typeof open>>()

  const shownOn = (connection: object, state: unknown, isInSnapshot: boolean): ProbeResult => {
    const opened = connection as CountedConnection
    const { number, path, file } = once(known, connection, () => open(opened))
    const isReplaced = !opened.memory && fileAt(path) !== file
    // Changes of an open transaction are visible to this connection only.
    const isKnown = typeof state === 'string' && !isReplaced && (isInSnapshot || !opened.inTransaction)
    return { count: isKnown ? [process, number, state].join(' ') : null, server: file }
  }

  return {
    read: async (run, connection, isInSnapshot = false) =>
      shownOn(connection, (await run(`select ${sqliteState}`))[0]?.[0], isInSnapshot),
    isOfConnection: true,
    ofPage: ({ connection, state, isInSnapshot }) => shownOn(connection, state, isInSnapshot),
    ahead: 0,
    about: [],
    // The counters are those of the main file, not of attached ones.
    uncounted: `select t.name from pragma_table_list t
      where t.type in ('view', 'virtual') or t.schema = 'temp' or not exists (
        select 1 from main.sqlite_master m where m.name = t.name collate nocase)`,
  }
}

/** `beside`: SQL of a value that is read with each state; null without one. */
export const probes: Readonly<Record<DialectName, (beside: string | null) => Probe>> = {
  sqlite: makeSqliteProbe,
  mysql: () => mysqlProbe,
  postgres: makePostgresProbe,
}
