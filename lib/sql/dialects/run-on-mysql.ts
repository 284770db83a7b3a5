import { mysqlServer } from '../../freshness'
import { once } from '../../memory'
import type { Cancelling, RawConnections, Row } from './dialect'

interface MysqlConnection {
  /** Character set of the driver. */
  readonly clientEncoding?: unknown
  query(
    query: object,
    bindings: readonly unknown[],
    done: (error: Error | null, rows: readonly Row[]) => void,
  ): void
}

/** Characters that the driver escapes with a backslash. */
const escaped = /["'\\\p{Cc}]/u
const beyondAscii = /\P{ASCII}/u

/** Length of an escaped backslash depends on the server's mode. */
const backslash = `left('\\\\', 1)`

function quoted(text: string): string {
  const literal = (part: string): string => `'${part.replaceAll(`'`, `''`)}'`
  if (!text.includes('\\')) return literal(text)
  let mark = '<0>'
  for (let number = 1; text.includes(mark); number += 1) mark = `<${String(number)}>`
  return `replace(${literal(text.replaceAll('\\', mark))}, '${mark}', ${backslash})`
}

/** Security: with NO_BACKSLASH_ESCAPES the backslashes of the driver escape nothing, and a quote ends the text. */
function passValue(value: unknown, takesUtf8: boolean): unknown {
  if (Array.isArray(value))
    return typeof value[0] === 'string' ? value.map((one) => passValue(one, takesUtf8)) : (value as unknown)
  if (typeof value !== 'string') return value
  // MariaDB reads an empty literal as NULL in the mode EMPTY_STRING_IS_NULL.
  if (value === '') return { toSqlString: () => `left('-', 0)` }
  // Other character sets would replace unknown letters by question marks.
  if (!takesUtf8 && beyondAscii.test(value))
    return { toSqlString: () => `_utf8mb4 x'${Buffer.from(value).toString('hex')}'` }
  return escaped.test(value) ? { toSqlString: () => quoted(value) } : value
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

const isUtf8 = `select 1 from (select 1) as session
  where @@character_set_client = 'utf8mb4' and @@character_set_connection = 'utf8mb4'`

const sessionsTakeUtf8 = new WeakMap<MysqlConnection, boolean>()

export async function runOnMysql(
  connection: unknown,
  sql: string,
  bindings: readonly unknown[],
): Promise<readonly Row[]> {
  const session = connection as MysqlConnection
  let takesUtf8 = sessionsTakeUtf8.get(session)
  if (takesUtf8 === undefined) {
    // Pool owners and servers may change the session's settings behind the driver.
    takesUtf8 = session.clientEncoding === 'utf8' && (await query(session, isUtf8, [])).length === 1
    sessionsTakeUtf8.set(session, takesUtf8)
  }
  return query(
    session,
    sql,
    bindings.map((value) => passValue(value, takesUtf8)),
  )
}

type Whereabouts = readonly [server: unknown, id: number]

/** Server and id of a connection, read before there is anything to cancel: busy connections do not respond. */
const whereabouts = new WeakMap<object, Promise<Whereabouts | null>>()

async function ask(connection: object): Promise<Whereabouts> {
  const [row] = await runOnMysql(connection, `select ${mysqlServer}, connection_id()`, [])
  return [row?.[0], Number(row?.[1])]
}

/** Load balancers may lead to another server, where the id belongs to another client. */
async function killQuery(connection: object, raw: RawConnections, until: number): Promise<void> {
  const known = await whereabouts.get(connection)
  if (known === undefined || known === null) return
  const [server, id] = known
  // A connection of the pool, if no new one can be opened.
  const fresh = await raw.acquireRawConnection().catch(() => null)
  const other = fresh ?? (await raw.acquireConnection())
  try {
    // By the time the pool returns a connection, the statement may already have finished.
    if (performance.now() > until) return
    const [reached] = await ask(other)
    if (reached === server) await runOnMysql(other, 'kill query ?', [id])
  } finally {
    await (fresh === null ? raw.releaseConnection(other) : raw.destroyRawConnection(other))
  }
}

export const mysqlCancelling: Cancelling = {
  prepare: (connection) => {
    void once(whereabouts, connection, () => ask(connection).catch(() => null))
  },
  request: killQuery,
}
