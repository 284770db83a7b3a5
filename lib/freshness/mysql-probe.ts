import { DatabaseError } from '../errors'
import type { Probe, ProbeResult, RunSql } from './probe'

/**
 * Where a statement has been run: behind a balancer, each may be elsewhere. Servers that were made from one copy may have all
 * of a name in common, and one that is set back the second of its start as well, by a clock that is wrong. Identifiers
 * are made with a number that every start draws anew, and with the machine's own.
 */
export const mysqlServer = `concat_ws(' ', @@server_id, @@hostname, @@port, substr(uuid(), 20), database())`

/** The second in which the server was started: a log that lost its end in a crash may be written again to the same place. */
const server = `unix_timestamp() as now, ${mysqlServer}`

/** MariaDB shows its status here, MySQL 8 there. */
const ofMariaDb = `select lower(variable_name), variable_value, ${server} from information_schema.global_status
  where variable_name in ('innodb_lsn_current', 'wsrep_ready', 'uptime')`

/**
 * MySQL publishes the end of its log up to 20 ms after a commit was acknowledged, and later while the log is resized; its
 * count of what was written to the log moves before that. The count is not exact: two threads that count in the same
 * nanosecond can be one. So it takes both, and the log has moved long before anything is kept by their standing still.
 */
const countersOfMySql = ['innodb_redo_log_current_lsn', 'innodb_log_write_requests']

const ofMySql = `select lower(variable_name), variable_value, ${server} from performance_schema.global_status
  where variable_name in ('innodb_redo_log_current_lsn', 'innodb_log_write_requests', 'innodb_redo_log_enabled',
    'wsrep_ready', 'uptime')`

/** How a server is asked, and what of its answer tells a state. */
interface Question {
  readonly sql: string
  readonly counters: readonly string[]
  /** A node of a Galera cluster that is cut off from it answers, but neither moves nor lets tables be read. */
  readonly isGalera: boolean
}

const questions = new WeakMap<object, Question | null>()

const aboutServer = `show global variables
  where variable_name in ('version', 'innodb_read_only', 'aurora_version', 'wsrep_on')`

function questionFor(about: ReadonlyMap<string, string>): Question | null {
  // Others write what such a server reads: its log is not its own.
  if (about.get('innodb_read_only') === 'ON' || about.has('aurora_version')) return null
  const isGalera = about.get('wsrep_on') === 'ON'
  if (about.get('version')?.includes('MariaDB') === true)
    return { sql: ofMariaDb, counters: ['innodb_lsn_current'], isGalera }
  return { sql: ofMySql, counters: countersOfMySql, isGalera }
}

/** Asked once for each connection. */
async function questionOn(run: RunSql, connection: object): Promise<Question | null> {
  const known = questions.get(connection)
  if (known !== undefined) return known
  const rows = await run(aboutServer)
  const question = questionFor(new Map(rows.map(([name, value]) => [String(name), String(value)])))
  questions.set(connection, question)
  return question
}

/** By the code with which it refuses whoever reads a table. */
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
  // MySQL writes no log while one is switched off to load much at once. And in the second of its start a server cannot be
  // told from one that is started again in that second.
  const isUntold = values.get('innodb_redo_log_enabled') === 'OFF' || seconds < 1
  return {
    count: isUntold ? null : counts.join(' '),
    server: `${String(Number(now) - seconds)} ${String(name)}`,
  }
}

/**
 * Where the redo log stands. A commit is written to it a moment before others see what was committed, so that a place
 * counts only once the log has stood there for a while.
 */
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
  // Of several servers behind one connection, another may have been asked than has read.
  ofPage: ({ state, shown }) =>
    typeof state === 'string' && shown?.server.endsWith(` ${state}`) === true ? shown : null,
  ahead: 100,
  // What stands before many servers answers the first for itself, and hands on the second.
  about: ['select version()', aboutServer],
  uncounted: `select table_name from information_schema.tables
    where table_schema = database() and (engine is null or engine <> 'InnoDB' or table_type = 'TEMPORARY')`,
}
