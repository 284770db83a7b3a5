import { setTimeout as pause } from 'node:timers/promises'
import { createHash } from 'node:crypto'
import { type BoundAsker, nobody } from '../access'
import {
  type Database,
  isLost,
  isAfterFailure,
  isStale,
  driverOf,
  isPreparedElsewhere,
  isCutOff,
} from '../database'
import {
  bindingsOf,
  closeSnapshot,
  type Dialect,
  type RawConnections,
  type Statement,
  dialectOf,
} from '../sql'
import type { RunSql, StateRead, OnOwnConnection } from '../freshness'
import type { Logger } from '../config'
import { makeMemory } from '../memory'
import type { Run } from './expand'
import type { ReadFrom } from './record-sources'
import { type Deadline, makeDeadline } from './deadline'

export type StatementResult =
  | { readonly outcome: 'read'; readonly rows: number }
  /** `code`: of the driver, because its messages may contain values. */
  | { readonly outcome: 'failed'; readonly code: string }

export interface RanStatement {
  readonly statement: Statement
  readonly ids: number | null
  /** Includes the statements before it on the same connection. */
  readonly ms: number
  readonly result: StatementResult
}

/** `stage`: a connection was acquired; it comes again after one was lost. */
export type LoadEvent =
  { readonly kind: 'stage'; readonly stage: 'load' } | ({ readonly kind: 'statement' } & RanStatement)

interface Client extends RawConnections {
  acquireConnection(): Promise<PooledConnection>
}

interface PooledConnection {
  /** Marks a connection that Knex must not reuse. */
  __knex__disposed?: unknown
}

interface DatabaseReading {
  readonly database: Database
  readonly dialect: Dialect
  /** Gets the SQL, never the values. */
  readonly onStatement: (sql: string) => void
  readonly snapshot: boolean
  readonly prepared: Preparing
  readonly stop: Deadline
  readonly asker: BoundAsker
  readonly emit: ((event: LoadEvent) => void) | null
}

/** `first`: the first failure of a transaction. Statements behind it fail too, and their errors may arrive earlier. */
function runner(
  connection: PooledConnection,
  { dialect, onStatement, prepared, emit, stop, asker }: DatabaseReading,
  first: { error?: unknown },
): Run {
  return async (statement, ids) => {
    // Cancelling ends with the last statement that was sent, so that none may follow.
    if (stop.isStopped()) await stop.stopped
    onStatement(statement.sql)
    const bindings = bindingsOf(statement, dialect, { asker, ids })
    const begun = emit === null ? 0 : performance.now()
    const end = (result: StatementResult): void => {
      const sent = { statement, ids: ids?.length ?? null }
      emit?.({ kind: 'statement', ...sent, ms: performance.now() - begun, result })
    }
    try {
      const rows = await dialect.run(connection, statement.sql, bindings, prepared(statement.sql))
      end({ outcome: 'read', rows: rows.length })
      return rows
    } catch (error) {
      first.error ??= error
      const hasCode = typeof error === 'object' && error !== null && 'code' in error
      end({ outcome: 'failed', code: String(hasCode ? error.code : 'unknown') })
      throw error
    }
  }
}

export const runsSql =
  (dialect: Dialect, connection: object): RunSql =>
  (sql) =>
    dialect.run(connection, sql, [])

/** Ends the snapshot; a connection that fails to is not used again. The response does not wait for this. */
async function giveBack(
  connection: PooledConnection,
  client: Client,
  { dialect, snapshot }: DatabaseReading,
): Promise<void> {
  try {
    if (snapshot) await dialect.run(connection, closeSnapshot, [])
  } catch (error) {
    connection.__knex__disposed = error
  }
  await client.releaseConnection(connection)
}

/** A connection that is not needed any more once the pool returns it is released at once. */
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

/** Milliseconds for a server to accept the cancellation: until then the pool has a connection less. */
const patience = 1000

/** Milliseconds after which cancelling ends: a server that is slow to accept it has too much to do. */
const insistence = 5000

/** Cancels what runs on this connection, on the server that reads, until it is idle. No statement may follow. */
async function cancel(dialect: Dialect, connection: object, raw: RawConnections): Promise<void> {
  const { cancelling } = dialect
  if (cancelling === null) {
    // The connection is idle, but its snapshot would block writers until the pool closes it.
    await dialect.run(connection, closeSnapshot, []).catch(() => undefined)
    return
  }
  let isIdle = false
  const becomeIdle = (): void => {
    isIdle = true
  }
  // Statements of a connection run in order: once this one has ended or failed, all before it have.
  const idle = dialect.run(connection, closeSnapshot, []).then(becomeIdle, becomeIdle)
  const trying = async (): Promise<void> => {
    const until = performance.now() + insistence
    // A statement may not have arrived at the first try.
    for (let wait = 25; performance.now() < until; wait = Math.min(2 * wait, 400)) {
      // A server that refuses a connection now may accept the next.
      await cancelling.request(connection, raw, until).catch(() => undefined)
      await Promise.race([idle, pause(wait, undefined, { ref: false })])
      if (isIdle) return
    }
  }
  await Promise.race([trying(), pause(patience, undefined, { ref: false })])
}

/** The connection is closed after the cancellation, because a pooler forgets the statements of a client that left. */
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

/** Called behind the last statement of a response, on its connection. */
export type OnConnection = (read: StateRead & { readonly from: ReadFrom }) => Promise<void>

const never = (): number => Infinity

export async function withConnection<T>(
  reading: DatabaseReading,
  use: (run: Run, connection: object) => Promise<T>,
): Promise<T> {
  const { database, dialect, snapshot, stop } = reading
  const client = database.knex.client as Client
  const connection = await acquire(client, reading)
  dialect.cancelling?.prepare(connection)
  dialect.timeLimit?.set(connection, stop.endsAt)
  const first: { error?: unknown } = {}
  try {
    // Not awaited: a connection runs its statements in order.
    const begun = snapshot
      ? Promise.all(dialect.openSnapshot(database.isHosts === true).map(runsSql(dialect, connection)))
      : undefined
    const [result] = await Promise.race([
      Promise.all([use(runner(connection, reading, first), connection), begun]),
      stop.stopped,
    ])
    void giveBack(connection, client, reading)
    return result
  } catch (raised) {
    const error = isAfterFailure(raised) ? (first.error ?? raised) : raised
    if (stop.isStopped() || isLost(error) || isStale(error)) void abandon(connection, client, reading, error)
    else void giveBack(connection, client, reading)
    throw error
  } finally {
    // `endsAt` refers to the body of the response, which an idle connection would keep in memory.
    dialect.timeLimit?.set(connection, never)
  }
}

/** A balancer may choose the same node several times, and the pool may have several connections to it. */
const triesWhenCutOff = 5

/** Milliseconds until the pool has noticed its other broken connections, which mostly break together. */
const untilOthersAreKnown = 10

/** A locked SQLite file has exhausted its waiting time already. */
const isLostOn =
  (database: Database) =>
  (error: unknown): boolean =>
    !driverOf(database).isInProcess && isLost(error)

/** True for errors that another connection, or a statement that is not prepared, may avoid. */
export const retriable =
  (prepared: StatementPreparing, isLostOne: (error: unknown) => boolean) =>
  (error: unknown): boolean => {
    const isElsewhere = isPreparedElsewhere(error)
    if (isElsewhere) prepared.giveUp()
    return isElsewhere || isLostOne(error) || isStale(error)
  }

/** Reads are safe to repeat on another connection. */
export async function readAgain<T>(
  database: Database,
  read: (isAgain: boolean) => Promise<T>,
  isWorthIt = isLostOn(database),
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await read(tries > 1)
    } catch (error) {
      if (!isWorthIt(error) || tries >= (isCutOff(error) ? triesWhenCutOff : 2)) throw error
      if (isLost(error)) await pause(untilOthersAreKnown)
    }
  }
}

/** Runs statements that belong to no response, within the time limit of one. */
export function ownConnection(
  database: Database,
  prepared: StatementPreparing,
  timeout: number,
): OnOwnConnection {
  const reading = {
    database,
    dialect: dialectOf(database),
    onStatement: () => undefined,
    snapshot: false,
    prepared: prepared.ofOthers,
    emit: null,
    asker: nobody,
  }
  const isWorthIt = retriable(prepared, isLostOn(database))
  return (use) => {
    const read = (): ReturnType<typeof use> => {
      const stop = makeDeadline(timeout)
      return withConnection({ ...reading, stop }, (run, connection) =>
        use((sql) => run({ sql, bindings: [], shows: [] }), connection),
      ).finally(stop.finish)
    }
    return readAgain(database, read, isWorthIt)
  }
}

/** The name of a prepared statement of this text; undefined if it is not to be prepared. */
export type Preparing = (sql: string) => string | undefined

/** PostgreSQL keeps a named statement as long as the connection, in many times the size of its text. */
const mostPrepared = 1000
const mostLetters = 2_000_000

/** Bytes of texts that are only counted so far, of which a client may cause any number. */
const maxBytes = 8 * 1024 * 1024

/** Names a statement from its `from`th run on. Runs are counted by the text, whatever plan it belongs to. */
export function makePreparing({ from }: { readonly from: number }): Preparing {
  const names = new Map<string, string>()
  const runs = makeMemory<number>({ maxBytes })
  let letters = 0
  return (sql) => {
    const known = names.get(sql)
    if (known !== undefined) return known
    const run = (runs.get(sql) ?? 0) + 1
    if (run < from) {
      runs.set(sql, run)
      return undefined
    }
    if (names.size === mostPrepared || letters + sql.length > mostLetters) return undefined
    letters += sql.length
    runs.delete(sql)
    // Equal texts have equal names, because connections may be shared with others who prepare statements.
    const name = `content_router_${createHash('sha1').update(sql).digest('hex')}`
    names.set(sql, name)
    return name
  }
}

export const neverPrepared: Preparing = () => undefined

export interface StatementPreparing {
  readonly ofPlans: Preparing
  readonly ofOthers: Preparing
  /** Ends preparing, because connections do not keep prepared statements. */
  readonly giveUp: () => void
}

export const unprepared: StatementPreparing = {
  ofPlans: neverPrepared,
  ofOthers: neverPrepared,
  giveUp: () => undefined,
}

export function preparedStatements(
  database: Database,
  { logger }: { readonly logger: Logger },
): StatementPreparing {
  let isPrepared = driverOf(database).namesStatements
  const [ofPlans, ofOthers] = [makePreparing({ from: 3 }), makePreparing({ from: 1 })]
  return {
    ofPlans: (sql) => (isPrepared ? ofPlans(sql) : undefined),
    ofOthers: (sql) => (isPrepared ? ofOthers(sql) : undefined),
    giveUp: () => {
      if (isPrepared) {
        logger.warn(
          { remedy: 'use PgBouncer 1.21 or later with the setting max_prepared_statements' },
          'prepared statements are off, because the pooler does not support prepared statements',
        )
      }
      isPrepared = false
    },
  }
}
