import type { Knex } from 'knex'

interface UsedConnection {
  readonly __knexUid: unknown
  __knex__disposed?: unknown
}

/** What Knex itself reads leaves a connection in the pool whose server has said that it serves nobody. */
export function dropLost(knex: Knex): void {
  const { pool } = knex.client as {
    readonly pool?: { readonly used?: readonly { readonly resource: UsedConnection }[] }
  }
  knex.on('query-error', (error: unknown, { __knexUid }: UsedConnection) => {
    if (!isLost(error)) return
    const held = pool?.used?.find(({ resource }) => resource.__knexUid === __knexUid)
    if (held !== undefined) held.resource.__knex__disposed = error
  })
}

/** Unknown tables and columns, and types that do not take what is done with them. */
const codes: ReadonlySet<unknown> = new Set([
  'ER_NO_SUCH_TABLE',
  'ER_BAD_TABLE_ERROR',
  'ER_BAD_FIELD_ERROR',
  'ER_VIEW_INVALID',
  '3F000',
  '42P01',
  '42703',
  '42804',
  '42883',
])

/** What the drivers say, with the name. The name stands in a statement of ours, so it is that of a definition. */
const sentences = [
  /^no such (?:table|column): (\S+)$/,
  /^Table '(\S+)' doesn't exist$/,
  /^Unknown (?:column|table) '(\S+)'/,
  /^(?:relation|column) "?([^\s"]+)"? does not exist$/,
]

/** The name that the database did not find, where it tells. */
export function missingName(error: unknown): string | undefined {
  const { message } = asFailure(error)
  if (typeof message !== 'string') return undefined
  return sentences.map((sentence) => sentence.exec(message)?.[1]).find((name) => name !== undefined)
}

/** The tables are not what a statement takes them for. */
export function isDrift(error: unknown): boolean {
  const { code, message } = asFailure(error)
  if (codes.has(code)) return true
  return code === 'SQLITE_ERROR' && typeof message === 'string' && /^no such (?:table|column)/.test(message)
}

/** What may be known of an error that a driver or the pool raised. */
export interface DatabaseFailure {
  readonly name?: unknown
  readonly code?: unknown
  /** MariaDB's own errors have no other code: the driver knows the names of MySQL's. */
  readonly errno?: unknown
  readonly message?: unknown
  readonly routine?: unknown
}

export const asFailure = (error: unknown): DatabaseFailure =>
  typeof error === 'object' && error !== null ? error : {}

/** What the drivers and the pool say when there is no database to speak to, or none to spare. */
const unreachable: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  'PROTOCOL_CONNECTION_LOST',
  'PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR',
  'ER_CLIENT_INTERACTION_TIMEOUT',
  'ER_CON_COUNT_ERROR',
  'ER_CONNECTION_KILLED',
  'ER_SERVER_SHUTDOWN',
  // A node of Galera that was cut off from its cluster.
  'ER_UNKNOWN_COM_ERROR',
  // A server that its operator takes out of service.
  'ER_SERVER_OFFLINE_MODE',
  // One that waited in vain to have all that its cluster has committed, or for a table that somebody alters.
  'ER_LOCK_WAIT_TIMEOUT',
  '08000',
  '08001',
  '08003',
  '08004',
  '08006',
  // PgBouncer's word for whatever it cannot do: the server takes no login, or went away under a statement.
  '08P01',
  // A limit on how long a session, or its transaction, may last or be left alone.
  '25P03',
  '25P04',
  '53300',
  '57P01',
  '57P02',
  '57P03',
  '57P05',
])

/** A certificate that this process does not trust, or that is another server's. */
const untrusted =
  /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_(GET|VERIFY)_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_|HANDSHAKE_)/

/** No connection can be made as the server, or what stands for it, is asked to: a password was changed, a certificate ended. */
const refused: ReadonlySet<unknown> = new Set([
  'ER_ACCESS_DENIED_ERROR',
  'ER_ACCESS_DENIED_NO_PASSWORD_ERROR',
  'ER_ACCOUNT_HAS_BEEN_LOCKED',
  'ER_MUST_CHANGE_PASSWORD',
  'ER_MUST_CHANGE_PASSWORD_LOGIN',
  'ER_BAD_DB_ERROR',
  'ER_DBACCESS_DENIED_ERROR',
  '28000',
  '28P01',
  '3D000',
])

/** The process, the machine, or the user has as many files and connections open as it may: another try at once would find no more. */
const noneToOpen: ReadonlySet<unknown> = new Set([
  'EMFILE',
  'ENFILE',
  'ER_TOO_MANY_USER_CONNECTIONS',
  'ER_USER_LIMIT_REACHED',
])

/** MariaDB's word for a locked account. */
const lockedByMariadb = 4151

/** By a limit of time, of waiting for a lock, or of the disk that a statement may take. */
const ended: ReadonlySet<unknown> = new Set([
  '57014',
  '55P03',
  '53400',
  'ER_QUERY_TIMEOUT',
  'ER_QUERY_INTERRUPTED',
])

/** MariaDB's `max_statement_time`. */
const endedByMariadb = 1969

/** The user of the connection lacks the right to read what was asked for. */
const denied: ReadonlySet<unknown> = new Set([
  '42501',
  'ER_TABLEACCESS_DENIED_ERROR',
  'ER_COLUMNACCESS_DENIED_ERROR',
])

export const isDenied = (error: unknown): boolean => denied.has(asFailure(error).code)

/** The server is a node of Galera that was cut off from its cluster: it takes connections, and lets nobody read. */
export const isCutOff = (error: unknown): boolean => asFailure(error).code === 'ER_UNKNOWN_COM_ERROR'

/** The statement was ended from outside: by a time limit that is set in the database, or by a person. */
export function isEnded(error: unknown): boolean {
  const { code, errno } = asFailure(error)
  return ended.has(code) || errno === endedByMariadb
}

/** The pool had no connection to give within its time, or has been closed. */
const isExhausted = ({ name, message }: DatabaseFailure): boolean =>
  name === 'KnexTimeoutError' || message === 'Unable to acquire a connection'

/** SQLite's file is locked by a writer, not there, not readable, without room to grow, or just being replaced. */
const fileTrouble = /^SQLITE_(BUSY|LOCKED|PROTOCOL|CANTOPEN|IOERR|FULL|READONLY|PERM|NOTADB|CORRUPT)/

const codeOf = ({ code }: DatabaseFailure): string => (typeof code === 'string' ? code : '')

/**
 * A conflict that will soon be over: a writer holds SQLite's file, what a standby of PostgreSQL replays takes away the rows that
 * are being read, or somebody locks tables in another order than they are read in.
 */
export const isBusy = (error: unknown): boolean =>
  /^(SQLITE_(BUSY|LOCKED)|40001$|40P01$|ER_LOCK_DEADLOCK$)/.test(codeOf(asFailure(error)))

/** What says so by its message alone, which Knex puts behind the statement's text. */
const sayings =
  /(?:^| - )Connection terminated(?: unexpectedly| due to [\w ]+)?$|^aborted$|^Cannot open database|closed state|not queryable/

/** The connection broke, or none could be made: what was read may be read again on another. */
export function isLost(error: unknown): boolean {
  const { code, message } = asFailure(error)
  if (unreachable.has(code)) return true
  return typeof message === 'string' && sayings.test(message)
}

export const isUntrusted = (error: unknown): boolean => untrusted.test(codeOf(asFailure(error)))

/** What `pg` says by its message alone. */
export const lacksTls = (error: unknown): boolean =>
  asFailure(error).message === 'The server does not support SSL connections'

function isRefused(error: unknown): boolean {
  const { code, errno } = asFailure(error)
  return refused.has(code) || errno === lockedByMariadb || isUntrusted(error) || lacksTls(error)
}

export function isUnreachable(error: unknown): boolean {
  const failure = asFailure(error)
  const isWithout = isExhausted(failure) || noneToOpen.has(failure.code) || fileTrouble.test(codeOf(failure))
  return isWithout || isLost(error) || isRefused(error)
}

const stale: ReadonlySet<unknown> = new Set(['ER_TABLE_DEF_CHANGED', 'ER_NEED_REPREPARE', 'SQLITE_SCHEMA'])

/** A statement before it has failed, and ended what can be asked in the transaction that a connection is in. */
export const isOfFailed = (error: unknown): boolean => asFailure(error).code === '25P02'

/**
 * A table was altered between two statements, or since one was prepared, or a connection is left in what has failed: what was
 * read may be read again, unprepared, on another.
 */
export function isStale(error: unknown): boolean {
  const { code, routine } = asFailure(error)
  return stale.has(code) || isOfFailed(error) || (code === '0A000' && routine === 'RevalidateCachedQuery')
}

/**
 * A pooler gave the statement to another connection than the one on which it was prepared: PgBouncer before 1.21 does, which
 * hands out connections by the transaction.
 */
export const isPreparedElsewhere = (error: unknown): boolean =>
  /^(42P05|26000)$/.test(codeOf(asFailure(error)))
