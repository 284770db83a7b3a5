import { mysqlServer } from '../freshness'
import type { Cancelling, RawConnections, Row } from './dialect'

interface MysqlConnection {
  /** How the driver writes texts to the server. */
  readonly clientEncoding?: unknown
  query(
    query: object,
    bindings: readonly unknown[],
    done: (error: Error | null, rows: readonly Row[]) => void,
  ): void
}

/** Dates as text cost a third less than Date objects, and no time zone gets between. */
const reading = { rowsAsArray: true, dateStrings: true, supportBigNumbers: true, bigNumberStrings: true }

/** What the driver writes with a backslash before it. */
const escaped = /["'\\\p{Cc}]/u
const beyondAscii = /\P{ASCII}/u

/** A pair of backslashes is one sign or two, after the server's mode. */
const backslash = `left('\\\\', 1)`

function quoted(text: string): string {
  const literal = (part: string): string => `'${part.replaceAll(`'`, `''`)}'`
  if (!text.includes('\\')) return literal(text)
  let mark = '<0>'
  for (let number = 1; text.includes(mark); number += 1) mark = `<${String(number)}>`
  return `replace(${literal(text.replaceAll('\\', mark))}, '${mark}', ${backslash})`
}

const inHex = (text: string): string => `_utf8mb4 x'${Buffer.from(text).toString('hex')}'`

type WriteText = (text: string) => string | { readonly toSqlString: () => string }

type PassValue = (value: unknown) => unknown

const writing = (write: WriteText): PassValue => {
  const writeValue: PassValue = (value) => {
    if (Array.isArray(value)) return typeof value[0] === 'string' ? value.map(writeValue) : (value as unknown)
    return typeof value === 'string' ? write(value) : value
  }
  return writeValue
}

/** MariaDB takes an empty literal for NULL where the mode is EMPTY_STRING_IS_NULL. */
const empty = { toSqlString: () => `left('-', 0)` }

/**
 * The driver puts values into the statement's text, and its backslashes escape nothing where the server's sql_mode is
 * NO_BACKSLASH_ESCAPES: there a quote would end the text. What is written here means the same in every mode.
 */
function inEveryMode(text: string): ReturnType<WriteText> {
  if (text === '') return empty
  return escaped.test(text) ? { toSqlString: () => quoted(text) } : text
}

/** A connection that is set to another character set would have a question mark for each letter that it lacks. */
const inEverySet: WriteText = (text) =>
  beyondAscii.test(text) ? { toSqlString: () => inHex(text) } : inEveryMode(text)

const [written, writtenInOther] = [writing(inEveryMode), writing(inEverySet)]

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

/** A session may be set otherwise than its driver believes: by the pool's owner, or by the server as it lets one in. */
async function writingFor(session: MysqlConnection): Promise<PassValue> {
  if (session.clientEncoding !== 'utf8') return writtenInOther
  return (await query(session, takesUtf8, [])).length === 1 ? written : writtenInOther
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

const whichServer = `select ${mysqlServer}, connection_id()`

type Whereabouts = readonly [server: unknown, id: number]

/** Where a connection leads, asked before there is anything to cancel: what is busy does not answer. */
const whereabouts = new WeakMap<object, Promise<Whereabouts | null>>()

async function ask(connection: object): Promise<Whereabouts> {
  const [row] = await runOnMysql(connection, whichServer, [])
  return [row?.[0], Number(row?.[1])]
}

/** Asks once for each connection, and is not waited for. */
function learnWhereabouts(connection: object): void {
  if (whereabouts.has(connection)) return
  whereabouts.set(
    connection,
    ask(connection).catch(() => null),
  )
}

/** A new one, as the pool may have none to spare; one of the pool where no new one can be made. */
async function onOther(raw: RawConnections, use: (connection: object) => Promise<void>): Promise<void> {
  const fresh = await raw.acquireRawConnection().catch(() => null)
  const other = fresh ?? (await raw.acquireConnection())
  try {
    await use(other)
  } finally {
    await (fresh === null ? raw.releaseConnection(other) : raw.destroyRawConnection(other))
  }
}

/** A balancer may lead a new connection to another server, where the same number is another client's. */
async function killQuery(connection: object, raw: RawConnections, until: number): Promise<void> {
  const known = await whereabouts.get(connection)
  if (known === undefined || known === null) return
  const [server, id] = known
  await onOther(raw, async (other) => {
    // The pool may have had one to spare only when there is nothing to cancel any more.
    if (performance.now() > until) return
    const [reached] = await ask(other)
    if (reached === server) await runOnMysql(other, 'kill query ?', [id])
  })
}

export const mysqlCancelling: Cancelling = { prepare: learnWhereabouts, request: killQuery }
