import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { BoundAsker } from '../access'
import { type Database, isLost, isOfFailed, isStale } from '../database'
import { type Dialect, bindingsOf, type Row, type Statement } from '../compile'
import { type RunSql, type StateRead, mysqlServer } from '../freshness'
import type { Run } from './expand'
import type { ReadFrom } from './noting'
import type { Preparing } from './preparing'
import type { Stop } from './stop'

/** Where Knex's client of MySQL has connections from: new ones, and those of its pool. */
interface RawConnections {
  acquireRawConnection(): Promise<object>
  destroyRawConnection(connection: object): unknown
  acquireConnection(): Promise<object>
  releaseConnection(connection: object): Promise<unknown>
}

/** The part of a connection of `pg` that says where it leads, and with what it may be cancelled. */
interface CancellableConnection {
  readonly host?: unknown
  readonly port?: unknown
  readonly processID?: unknown
  readonly secretKey?: unknown
}

/** Milliseconds for which it is waited for that a server takes the word: meanwhile the pool has a connection less. */
const patience = 1000

/** Milliseconds after which a server is left alone. The one that is slow to take the word is the one that has too much to do. */
const insistence = 5000

/** Milliseconds after the first try, and at most after any: the first comes too early for what is still on its way. */
const betweenTries = 25
const atMostBetweenTries = 400

/** The protocol's number for it. */
const cancelRequest = 80_877_102

/**
 * PostgreSQL's own way: the number of a process and its secret, on a connection that is for nothing else. Another server that
 * it reaches finds that the secret is wrong; a pooler passes it on to where the connection leads.
 */
async function cancelOnPostgres({ host, port, processID, secretKey }: CancellableConnection): Promise<void> {
  if (typeof host !== 'string' || typeof processID !== 'number' || typeof secretKey !== 'number') return
  const request = Buffer.alloc(16)
  const words = [16, cancelRequest, processID, secretKey]
  words.forEach((word, index) => request.writeInt32BE(word, 4 * index))
  const at = Number(port)
  const socket = host.startsWith('/')
    ? connect(`${host}/.s.PGSQL.${String(at)}`)
    : connect({ host, port: at })
  socket.setTimeout(patience, () => socket.destroy())
  socket.on('error', () => socket.destroy())
  // Not ended: PgBouncer drops the word of who has left while it looks for a connection to pass it on by.
  socket.write(request)
  await once(socket, 'close')
}

const whichServer = `select ${mysqlServer}, connection_id()`

type Whereabouts = readonly [server: unknown, id: number]

/** Where a connection leads, asked before there is anything to cancel: what is busy does not answer. */
const whereabouts = new WeakMap<object, Promise<Whereabouts | null>>()

async function ask(dialect: Dialect, connection: object): Promise<Whereabouts> {
  const [row] = await dialect.run(connection, whichServer, [])
  return [row?.[0], Number(row?.[1])]
}

/** To be called before anything else is sent on a connection; asks once for each, and is not waited for. */
function learnWhereabouts(dialect: Dialect, connection: object): void {
  if (dialect.name !== 'mysql' || whereabouts.has(connection)) return
  whereabouts.set(
    connection,
    ask(dialect, connection).catch(() => null),
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
async function cancelOnMySql(
  dialect: Dialect,
  connection: object,
  raw: RawConnections,
  until: number,
): Promise<void> {
  const known = await whereabouts.get(connection)
  if (known === undefined || known === null) return
  const [server, id] = known
  await onOther(raw, async (other) => {
    // The pool may have had one to spare only when there is nothing to cancel any more.
    if (performance.now() > until) return
    const [reached] = await ask(dialect, other)
    if (reached === server) await dialect.run(other, 'kill query ?', [id])
  })
}

function cancelOnce(dialect: Dialect, connection: object, raw: RawConnections, until: number): Promise<void> {
  switch (dialect.name) {
    case 'sqlite':
      return Promise.resolve()
    case 'mysql':
      return cancelOnMySql(dialect, connection, raw, until)
    case 'postgres':
      return cancelOnPostgres(connection)
  }
}

/**
 * Tells the server that reads, and no other, to drop what it is doing on this connection, until it does nothing there any
 * more. Nothing else may be sent on the connection afterwards.
 */
async function cancel(dialect: Dialect, connection: object, raw: RawConnections): Promise<void> {
  if (dialect.name === 'sqlite') return
  let isIdle = false
  const becomeIdle = (): void => {
    isIdle = true
  }
  // A connection works off its statements in their order: once this one is through, or refused, all before it are.
  const idle = dialect.run(connection, dialect.end, []).then(becomeIdle, becomeIdle)
  const outOfPatience = pause(patience, undefined, { ref: false })
  const trying = async (): Promise<void> => {
    const until = performance.now() + insistence
    for (let wait = betweenTries; performance.now() < until; wait = Math.min(2 * wait, atMostBetweenTries)) {
      // What refuses a connection now may let in the next.
      await cancelOnce(dialect, connection, raw, until).catch(() => undefined)
      await Promise.race([idle, pause(wait, undefined, { ref: false })])
      if (isIdle) return
    }
  }
  await Promise.race([trying(), outOfPatience])
}

/** Called with the text of every statement that is sent; never with its values. */
export type OnStatement = (sql: string) => void

export type StatementResult =
  | { readonly outcome: 'read'; readonly rows: number }
  /** `code`: the driver's, whose messages may hold values. */
  | { readonly outcome: 'failed'; readonly code: string }

/** A statement that is over. */
export interface RanStatement {
  readonly statement: Statement
  /** How many ids it was given to look for. */
  readonly ids: number | null
  /** Includes the statements before it on the same connection. */
  readonly ms: number
  readonly result: StatementResult
}

/** `stage`: there is a connection. Comes again where the first one was lost. */
export type LoadEvent =
  { readonly kind: 'stage'; readonly stage: 'load' } | ({ readonly kind: 'statement' } & RanStatement)

interface Client extends RawConnections {
  acquireConnection(): Promise<PooledConnection>
}

interface PooledConnection {
  /** Knex does not hand out again what carries this mark. */
  __knex__disposed?: unknown
}

export interface DatabaseReading {
  readonly database: Database
  readonly dialect: Dialect
  readonly onStatement: OnStatement
  /** All statements see one snapshot of the database. */
  readonly snapshot: boolean
  readonly prepared: Preparing
  readonly stop: Stop
  readonly asker: BoundAsker
  /** Null without observers. */
  readonly emit: ((event: LoadEvent) => void) | null
}

const codeOf = (error: unknown): string =>
  String(typeof error === 'object' && error !== null && 'code' in error ? error.code : 'unknown')

async function observed(
  emit: (event: LoadEvent) => void,
  sent: Pick<RanStatement, 'statement' | 'ids'>,
  send: () => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const begun = performance.now()
  const end = (result: StatementResult): void => {
    emit({ kind: 'statement', ...sent, ms: performance.now() - begun, result })
  }
  try {
    const rows = await send()
    end({ outcome: 'read', rows: rows.length })
    return rows
  } catch (error) {
    end({ outcome: 'failed', code: codeOf(error) })
    throw error
  }
}

/**
 * What failed first of the statements that are sent without waiting for each other. What comes behind it in its transaction
 * fails for that alone, and may be heard of before it has come up from a deeper level.
 */
interface FirstFailure {
  error?: unknown
}

const causeOf = (error: unknown, first: FirstFailure): unknown =>
  isOfFailed(error) ? (first.error ?? error) : error

function runner(
  connection: PooledConnection,
  { dialect, onStatement, prepared, emit, stop, asker }: DatabaseReading,
  first: FirstFailure,
): Run {
  return async (statement, ids) => {
    // The connection is being cleared of what was sent: nothing may follow that.
    if (stop.isStopped()) await stop.stopped
    onStatement(statement.sql)
    const bindings = bindingsOf(statement, dialect, { asker, ids })
    const send = (): Promise<readonly Row[]> =>
      dialect.run(connection, statement.sql, bindings, prepared(statement.sql))
    try {
      return await (emit === null ? send() : observed(emit, { statement, ids: ids?.length ?? null }, send))
    } catch (error) {
      first.error ??= error
      throw error
    }
  }
}

/** Runs what belongs to no plan, of which no hook is told. */
export const runsSql =
  (dialect: Dialect, connection: object): RunSql =>
  (sql) =>
    dialect.run(connection, sql, [])

/**
 * Ends the snapshot and gives the connection back. The answer does not wait for it; a connection that cannot end what
 * it began is not used again.
 */
async function giveBack(
  connection: PooledConnection,
  client: Client,
  { dialect, snapshot }: DatabaseReading,
): Promise<void> {
  try {
    if (snapshot) await dialect.run(connection, dialect.end, [])
  } catch (error) {
    connection.__knex__disposed = error
  }
  await client.releaseConnection(connection)
}

/** Waits no longer than the answer is wanted. A connection that comes too late goes straight back. */
async function acquire(client: Client, { stop }: DatabaseReading): Promise<PooledConnection> {
  const coming = client.acquireConnection()
  try {
    return await Promise.race([coming, stop.stopped])
  } catch (error) {
    coming.then(
      (connection) => client.releaseConnection(connection),
      () => undefined,
    )
    throw error
  }
}

/**
 * The database is told to drop what it was doing; the connection is of no use any more, whether it hears that or not. It is
 * closed afterwards: a pooler forgets what was running for a client that has left.
 */
async function abandon(
  connection: PooledConnection,
  client: Client,
  { dialect }: DatabaseReading,
  reason: unknown,
): Promise<void> {
  connection.__knex__disposed = reason
  await cancel(dialect, connection, client)
  await client.releaseConnection(connection)
}

/** Where an answer was read, and what from, behind its last statement. */
export interface ReadOn extends StateRead {
  readonly from: ReadFrom
}

export type OnConnection = (read: ReadOn) => Promise<void>

const never = (): number => Infinity

/** Sent without waiting for its answer: a connection works off its statements in the order they come. */
function begin(connection: PooledConnection, { dialect, database }: DatabaseReading): Promise<unknown> {
  const run = runsSql(dialect, connection)
  if (database.isHosts !== true || dialect.seeOneState === null) return run(dialect.begin)
  return Promise.all([run(dialect.seeOneState), run(dialect.begin)])
}

/** Holds one connection while `use` reads. */
export async function withConnection<T>(
  reading: DatabaseReading,
  use: (run: Run, connection: object) => Promise<T>,
): Promise<T> {
  const { database, dialect, snapshot, stop } = reading
  const client = database.knex.client as Client
  const connection = await acquire(client, reading)
  learnWhereabouts(dialect, connection)
  dialect.limitTime?.(connection, stop.endsAt)
  const first: FirstFailure = {}
  try {
    const begun = snapshot ? begin(connection, reading) : undefined
    const [result] = await Promise.race([
      Promise.all([use(runner(connection, reading, first), connection), begun]),
      stop.stopped,
    ])
    void giveBack(connection, client, reading)
    return result
  } catch (raised) {
    const error = causeOf(raised, first)
    if (stop.isStopped() || isLost(error) || isStale(error)) void abandon(connection, client, reading, error)
    else void giveBack(connection, client, reading)
    throw error
  } finally {
    // What tells the end of an answer leads to its body, which a connection would hold until the next.
    dialect.limitTime?.(connection, never)
  }
}
