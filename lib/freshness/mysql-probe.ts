import { DatabaseError } from '../errors'
import type { Probe, ProbeResult, RunSql } from './probe'

/**
 * The server of a statement, because a balancer may choose another for each. Copies of a server may have equal names, and with
 * a wrong clock an equal start. The end of `uuid()` is a number of the start, and the machine's own.
 */
export const mysqlServer = `concat_ws(' ', @@server_id, @@hostname, @@port, substr(uuid(), 20), database())`

/** The second of the start belongs to the state: after a crash a log may reach the same place again. */
const server = `unix_timestamp() as now, ${mysqlServer}`

const ofMariaDb = `select lower(variable_name), variable_value, ${server} from information_schema.global_status
  where variable_name in ('innodb_lsn_current', 'wsrep_ready', 'uptime')`

/**
 * MySQL publishes the end of its log up to 20 ms after a commit, and later while the log is resized. The number of writes
 * moves before that, but is not exact: two threads in the same nanosecond can count as one. So the state has both.
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

/** The code is that of a refused read. */
function checkReady(ready: unknown): void {
  if (ready === 'ON') return
  throw new DatabaseError('ER_UNKNOWN_COM_ERROR', 'this node of Galera is cut off')
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

/** The end of the redo log. A commit is logged a moment before it is visible, so that the end counts after standing still. */
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
