import type { Knex } from 'knex'

interface UsedConnection {
  readonly __knexUid: unknown
  __knex__disposed?: unknown
}

/** Knex keeps connections that the server has closed. */
export function dropLost(knex: Knex): void {
  const { pool } = knex.client as {
    readonly pool?: { readonly used?: readonly { readonly resource: UsedConnection }[] }
  }
  knex.on('query-error', (error: unknown, { __knexUid }: UsedConnection) => {
    if (!isLost(error)) return
    const used = pool?.used?.find(({ resource }) => resource.__knexUid === __knexUid)
    if (used !== undefined) used.resource.__knex__disposed = error
  })
}

/** Unknown tables and columns, and wrong types. */
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

/** The name is part of our statement, so it comes from a definition. */
const sentences = [
  /^no such (?:table|column): (\S+)$/,
  /^Table '(\S+)' doesn't exist$/,
  /^Unknown (?:column|table) '(\S+)'/,
  /^(?:relation|column) "?([^\s"]+)"? does not exist$/,
]

export function missingName(error: unknown): string | undefined {
  const { message } = asFailure(error)
  if (typeof message !== 'string') return undefined
  return sentences.map((sentence) => sentence.exec(message)?.[1]).find((name) => name !== undefined)
}

/** The tables differ from the definitions. */
export function isDrift(error: unknown): boolean {
  const { code, message } = asFailure(error)
  if (codes.has(code)) return true
  return code === 'SQLITE_ERROR' && typeof message === 'string' && /^no such (?:table|column)/.test(message)
}

export interface DatabaseFailure {
  readonly name?: unknown
  readonly code?: unknown
  /** MariaDB's own errors have no code in the driver. */
  readonly errno?: unknown
  readonly message?: unknown
  readonly routine?: unknown
}

export const asFailure = (error: unknown): DatabaseFailure =>
  typeof error === 'object' && error !== null ? error : {}

/** The database is unreachable or has no free connection. */
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
  // A node of Galera that is cut off from its cluster.
  'ER_UNKNOWN_COM_ERROR',
  // A server in maintenance.
  'ER_SERVER_OFFLINE_MODE',
  // A wait for the cluster's commits, or for an altered table.
  'ER_LOCK_WAIT_TIMEOUT',
  '08000',
  '08001',
  '08003',
  '08004',
  '08006',
  // PgBouncer's code for any failure of the server.
  '08P01',
  // Limits on sessions and idle transactions.
  '25P03',
  '25P04',
  '53300',
  '57P01',
  '57P02',
  '57P03',
  '57P05',
])

const untrusted =
  /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_(GET|VERIFY)_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_|HANDSHAKE_)/

/** The server rejects the login: for example after a change of the password. */
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

/** Too many open files or connections. A retry would fail, too. */
const noneToOpen: ReadonlySet<unknown> = new Set([
  'EMFILE',
  'ENFILE',
  'ER_TOO_MANY_USER_CONNECTIONS',
  'ER_USER_LIMIT_REACHED',
])

/** MariaDB's code of a locked account. */
const lockedByMariadb = 4151

/** Limits of time, of locks, or of temporary files. */
const ended: ReadonlySet<unknown> = new Set([
  '57014',
  '55P03',
  '53400',
  'ER_QUERY_TIMEOUT',
  'ER_QUERY_INTERRUPTED',
])

/** MariaDB's `max_statement_time`. */
const endedByMariadb = 1969

const denied: ReadonlySet<unknown> = new Set([
  '42501',
  'ER_TABLEACCESS_DENIED_ERROR',
  'ER_COLUMNACCESS_DENIED_ERROR',
])

export const isDenied = (error: unknown): boolean => denied.has(asFailure(error).code)

/** A Galera node without its cluster accepts connections and rejects reads. */
export const isCutOff = (error: unknown): boolean => asFailure(error).code === 'ER_UNKNOWN_COM_ERROR'

/** A limit of the database, or an operator, ended the statement. */
export function isEnded(error: unknown): boolean {
  const { code, errno } = asFailure(error)
  return ended.has(code) || errno === endedByMariadb
}

/** The pool timed out or is closed. */
const isExhausted = ({ name, message }: DatabaseFailure): boolean =>
  name === 'KnexTimeoutError' || message === 'Unable to acquire a connection'

/** The file is locked, missing, unreadable, full or being replaced. */
const fileTrouble = /^SQLITE_(BUSY|LOCKED|PROTOCOL|CANTOPEN|IOERR|FULL|READONLY|PERM|NOTADB|CORRUPT)/

const codeOf = ({ code }: DatabaseFailure): string => (typeof code === 'string' ? code : '')

/** Short conflicts: a writer of SQLite, replay on a PostgreSQL standby, a deadlock. A retry may succeed. */
export const isBusy = (error: unknown): boolean =>
  /^(SQLITE_(BUSY|LOCKED)|40001$|40P01$|ER_LOCK_DEADLOCK$)/.test(codeOf(asFailure(error)))

/** Messages without a code. Knex prefixes the statement. */
const sayings =
  /(?:^| - )Connection terminated(?: unexpectedly| due to [\w ]+)?$|^aborted$|^Cannot open database|closed state|not queryable/

/** The connection is lost; a read may be retried on another. */
export function isLost(error: unknown): boolean {
  const { code, message } = asFailure(error)
  if (unreachable.has(code)) return true
  return typeof message === 'string' && sayings.test(message)
}

export const isUntrusted = (error: unknown): boolean => untrusted.test(codeOf(asFailure(error)))

/** `pg` has no code for it. */
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

/** An earlier statement failed in the transaction of the connection. */
export const isOfFailed = (error: unknown): boolean => asFailure(error).code === '25P02'

/**
 * A table was altered after a statement was prepared, or a transaction has failed. The read may be retried unprepared
 * on another connection.
 */
export function isStale(error: unknown): boolean {
  const { code, routine } = asFailure(error)
  return stale.has(code) || isOfFailed(error) || (code === '0A000' && routine === 'RevalidateCachedQuery')
}

/** PgBouncer before 1.21 assigns connections per transaction, so that a prepared statement may be unknown. */
export const isPreparedElsewhere = (error: unknown): boolean =>
  /^(42P05|26000)$/.test(codeOf(asFailure(error)))
