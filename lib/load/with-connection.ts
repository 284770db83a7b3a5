import { setTimeout as pause } from 'node:timers/promises'
import { createHash } from 'node:crypto'
import { type BoundAsker, nobody } from '../access'
import {
  type Database,
  isLost,
  isOfFailed,
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
  type Row,
  type Statement,
  dialectOf,
} from '../compile'
import type { RunSql, StateRead, OnOwnConnection } from '../freshness'
import type { Logger } from '../config'
import { makeMemory } from '../memory'
import { cancel } from './cancel'
import type { Run } from './expand'
import type { ReadFrom } from './noting'
import { type Stop, makeStop } from './stop'

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
    if (snapshot) await dialect.run(connection, closeSnapshot, [])
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
  return Promise.all(dialect.openSnapshot(database.isHosts === true).map(runsSql(dialect, connection)))
}

/** Holds one connection while `use` reads. */
export async function withConnection<T>(
  reading: DatabaseReading,
  use: (run: Run, connection: object) => Promise<T>,
): Promise<T> {
  const { database, dialect, snapshot, stop } = reading
  const client = database.knex.client as Client
  const connection = await acquire(client, reading)
  dialect.cancelling?.prepare(connection)
  dialect.timeLimit?.set(connection, stop.endsAt)
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
    dialect.timeLimit?.set(connection, never)
  }
}

/** A balancer may lead to the node that is cut off more than once, and the pool hold several connections to it. */
const triesWhenCutOff = 5

/**
 * What broke one connection has mostly broken the others in the pool, which learns of it from their sockets a moment later:
 * another try at once may take a second dead one.
 */
const untilOthersAreKnown = 10

/** A file that is locked has kept everybody waiting already. */
const isLostOn =
  (database: Database) =>
  (error: unknown): boolean =>
    !driverOf(database).isInProcess && isLost(error)

/** Reads change nothing, so what was lost with its connection is read once more on another. */
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

/** Runs statements that belong to no answer, and no longer than an answer may take. */
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
  const once: OnOwnConnection = async (use) => {
    const stop = makeStop(timeout)
    return withConnection({ ...reading, stop }, (run, connection) => {
      const runSql: RunSql = (sql) => run({ sql, bindings: [], isPersonal: false, shows: [] })
      return use(runSql, connection)
    }).finally(stop.finish)
  }
  const isLost = isLostOn(database)
  const isWorthIt = (error: unknown): boolean => {
    const isElsewhere = isPreparedElsewhere(error)
    if (isElsewhere) prepared.giveUp()
    return isElsewhere || isLost(error) || isStale(error)
  }
  return (use) => readAgain(database, () => once(use), isWorthIt)
}

/** The name under which the database is to keep a statement of this text; none for what it is only to run. */
export type Preparing = (sql: string) => string | undefined

/** PostgreSQL keeps a named statement for as long as the connection lives, in many times the size of its text. */
const mostPrepared = 1000
const mostLetters = 2_000_000

/** Of texts that have not come often enough, of which a client may cause any number. */
const maxBytes = 8 * 1024 * 1024

/** The same for the same text: connections may be shared with others who name statements. */
const nameOf = (sql: string): string => `content_router_${createHash('sha1').update(sql).digest('hex')}`

/**
 * Names what is run for the `from`th time. Runs are counted by the text, for all plans that have it: requests that differ in
 * values alone ask the same, as do most of those that read the same below different pages.
 */
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
    const name = nameOf(sql)
    names.set(sql, name)
    return name
  }
}

export const neverPrepared: Preparing = () => undefined

/** What is prepared on the connections of one database. */
export interface StatementPreparing {
  /** Of plans, once they have come a few times. */
  readonly ofPlans: Preparing
  readonly ofOthers: Preparing
  /** Connections turned out not to keep what is prepared on them: nothing is, from now on. */
  readonly giveUp: () => void
}

/** For statements that belong to no request, and seldom run. */
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
  const unlessGivenUp =
    (preparing: Preparing): Preparing =>
    (sql) =>
      isPrepared ? preparing(sql) : undefined
  return {
    ofPlans: unlessGivenUp(makePreparing({ from: 3 })),
    ofOthers: unlessGivenUp(makePreparing({ from: 1 })),
    giveUp: () => {
      if (isPrepared) {
        logger.warn(
          { remedy: 'PgBouncer 1.21 or later, with max_prepared_statements' },
          'the pooler does not keep prepared statements: none is prepared from now on',
        )
      }
      isPrepared = false
    },
  }
}
