import { mysqlServer } from '../../freshness'
import type { Cancelling, RawConnections, Row } from './dialect'
import { mysqlQuoting, type PassValue } from './mysql-quoting'

interface MysqlConnection {
  /** Character set of the driver. */
  readonly clientEncoding?: unknown
  query(
    query: object,
    bindings: readonly unknown[],
    done: (error: Error | null, rows: readonly Row[]) => void,
  ): void
}

/** Dates as text are a third faster than Date objects, and have no time zone. */
const reading = { rowsAsArray: true, dateStrings: true, supportBigNumbers: true, bigNumberStrings: true }

function query(session: MysqlConnection, sql: string, values: readonly unknown[]): Promise<readonly Row[]> {
  return new Promise((resolve, reject) => {
    session.query({ sql, ...reading }, values, (error, rows) => {
      if (error === null) resolve(rows)
      else reject(error)
    })
  })
}

const takesUtf8 = `select 1 from (select 1) as session
  where @@character_set_client = 'utf8mb4' and @@character_set_connection = 'utf8mb4'`

/** Pool owners and servers may change the session's settings behind the driver. */
async function writingFor(session: MysqlConnection): Promise<PassValue> {
  if (session.clientEncoding !== 'utf8') return mysqlQuoting.other
  return (await query(session, takesUtf8, [])).length === 1 ? mysqlQuoting.utf8 : mysqlQuoting.other
}

const writings = new WeakMap<MysqlConnection, PassValue>()

export async function runOnMysql(
  connection: unknown,
  sql: string,
  bindings: readonly unknown[],
): Promise<readonly Row[]> {
  const session = connection as MysqlConnection
  let write = writings.get(session)
  if (write === undefined) {
    write = await writingFor(session)
    writings.set(session, write)
  }
  return query(session, sql, bindings.map(write))
}

type Whereabouts = readonly [server: unknown, id: number]

/** Server and id of a connection, read before there is anything to cancel: busy connections do not respond. */
const whereabouts = new WeakMap<object, Promise<Whereabouts | null>>()

async function ask(connection: object): Promise<Whereabouts> {
  const [row] = await runOnMysql(connection, `select ${mysqlServer}, connection_id()`, [])
  return [row?.[0], Number(row?.[1])]
}

/** A new connection, or one of the pool if none can be opened. */
async function onOther(raw: RawConnections, use: (connection: object) => Promise<void>): Promise<void> {
  const fresh = await raw.acquireRawConnection().catch(() => null)
  const other = fresh ?? (await raw.acquireConnection())
  try {
    await use(other)
  } finally {
    await (fresh === null ? raw.releaseConnection(other) : raw.destroyRawConnection(other))
  }
}

/** Load balancers may lead to another server, where the id belongs to another client. */
async function killQuery(connection: object, raw: RawConnections, until: number): Promise<void> {
  const known = await whereabouts.get(connection)
  if (known === undefined || known === null) return
  const [server, id] = known
  await onOther(raw, async (other) => {
    // By the time the pool returns a connection, the statement may already have finished.
    if (performance.now() > until) return
    const [reached] = await ask(other)
    if (reached === server) await runOnMysql(other, 'kill query ?', [id])
  })
}

export const mysqlCancelling: Cancelling = {
  prepare: (connection) => {
    if (whereabouts.has(connection)) return
    const asked = ask(connection).catch(() => null)
    whereabouts.set(connection, asked)
  },
  request: killQuery,
}
