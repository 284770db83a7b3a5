import { mysqlServer } from '../database'
import type { Run } from '../load'
import { type Counter, statement } from './counter'

/** The second in which the server was started: a log that lost its end in a crash may be written again to the same place. */
const server = `unix_timestamp() as now, ${mysqlServer}`

const positions = `'innodb_lsn_current', 'innodb_redo_log_current_lsn'`

const questionIn = (schema: string): Parameters<Run>[0] =>
  statement(
    `select lower(variable_name), variable_value, ${server} from ${schema}.global_status
      where variable_name in (${positions}, 'uptime')`,
  )

/** MariaDB shows its status here, MySQL 8 there. */
const ofMariaDb = questionIn('information_schema')
const ofMySql = questionIn('performance_schema')

const questions = new WeakMap<object, typeof ofMySql | null>()

const aboutServer = statement(
  `show global variables where variable_name in ('version', 'innodb_read_only', 'aurora_version')`,
)

/** Null for a server whose log is not its own: others write what it reads. */
async function questionFor(run: Run, connection: object): Promise<typeof ofMySql | null> {
  const known = questions.get(connection)
  if (known !== undefined) return known
  const rows = await run(aboutServer)
  const about = new Map(rows.map(([name, value]) => [String(name), String(value)]))
  const isAnothers = about.get('innodb_read_only') === 'ON' || about.has('aurora_version')
  const question = about.get('version')?.includes('MariaDB') === true ? ofMariaDb : ofMySql
  questions.set(connection, isAnothers ? null : question)
  return isAnothers ? null : question
}

/**
 * Where the redo log stands. A commit is written to it a moment before others see what was committed, so that a place
 * counts only once the log has stood there for a while.
 */
export const mysql: Counter = {
  read: async (run, connection) => {
    const question = await questionFor(run, connection)
    if (question === null) return null
    const rows = await run(question)
    const uptime = rows.find(([name]) => name === 'uptime')
    const position = rows.find(([name]) => name !== 'uptime')
    if (uptime === undefined || position === undefined) return null
    const [, seconds, now, name] = uptime
    const startedAt = Number(now) - Number(seconds)
    // In the second of its start a server cannot be told from one that is started again in that second.
    const count = Number(seconds) < 1 ? null : String(position[1])
    return { count, server: `${String(startedAt)} ${String(name)}` }
  },
  // Of several servers behind one connection, another may have been asked than has read.
  shown: ({ state, shown }) =>
    typeof state === 'string' && shown?.server.endsWith(` ${state}`) === true ? shown : null,
  ahead: 100,
  uncounted: `select table_name from information_schema.tables
    where table_schema = database() and (engine is null or engine <> 'InnoDB' or table_type = 'TEMPORARY')`,
}
