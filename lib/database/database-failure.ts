import type { Knex } from 'knex'
import { ConfigError, DatabaseError } from '../errors'

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

type FailureKind =
  /** Unknown tables and columns, and wrong types: the tables differ from the definitions. */
  | 'drift'
  /** The database is unreachable, or the connection is lost. */
  | 'unreachable'
  /** Too many open files or connections. A retry would fail, too. */
  | 'full'
  /** The server rejects the login: for example after a change of the password. */
  | 'refused'
  /** Limits of time, of locks, or of temporary files. */
  | 'ended'
  | 'denied'
  /** A table was altered after a statement was prepared. */
  | 'stale'
  | 'other'

interface KnownFailure {
  readonly is: FailureKind
  /** For messages, which hold no settings of the connection. */
  readonly words?: string
}

const drift: KnownFailure = { is: 'drift' }
const unreachable: KnownFailure = { is: 'unreachable' }
const ended: KnownFailure = { is: 'ended' }
const denied: KnownFailure = { is: 'denied' }
const stale: KnownFailure = { is: 'stale' }

const unknownHost = 'the host name is unknown'
const tooManyOfUser = 'the database user has reached the limit of connections'
const noSuchDatabase = 'the server does not have the configured database'
const withoutTls = 'the server does not support TLS, but the connection requires TLS'
const wrongLogin: KnownFailure = { is: 'refused', words: 'the server rejects the user or the password' }
const lockedLogin: KnownFailure = {
  is: 'refused',
  words: 'the account of the database user is locked, or the password has expired',
}

const failures: ReadonlyMap<unknown, KnownFailure> = new Map(
  Object.entries({
    ER_NO_SUCH_TABLE: drift,
    ER_BAD_TABLE_ERROR: drift,
    ER_BAD_FIELD_ERROR: drift,
    ER_VIEW_INVALID: drift,
    '3F000': drift,
    '42P01': drift,
    '42703': drift,
    '42804': drift,
    '42883': drift,
    ECONNREFUSED: { ...unreachable, words: 'no database server is listening at the configured address' },
    ECONNRESET: unreachable,
    EHOSTUNREACH: unreachable,
    ENOTFOUND: { ...unreachable, words: unknownHost },
    EPIPE: unreachable,
    ETIMEDOUT: unreachable,
    PROTOCOL_CONNECTION_LOST: unreachable,
    PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR: unreachable,
    ER_CLIENT_INTERACTION_TIMEOUT: unreachable,
    ER_CON_COUNT_ERROR: unreachable,
    ER_CONNECTION_KILLED: unreachable,
    ER_SERVER_SHUTDOWN: unreachable,
    ER_UNKNOWN_COM_ERROR: { ...unreachable, words: 'the Galera node is disconnected from its cluster' },
    ER_SERVER_OFFLINE_MODE: { ...unreachable, words: 'the server is in offline mode' },
    // A wait for the cluster's commits, or for an altered table.
    ER_LOCK_WAIT_TIMEOUT: unreachable,
    '08000': unreachable,
    '08001': unreachable,
    '08003': unreachable,
    '08004': unreachable,
    '08006': unreachable,
    // PgBouncer's code for any failure of the server.
    '08P01': unreachable,
    // Limits on sessions and idle transactions.
    '25P03': unreachable,
    '25P04': unreachable,
    '53300': unreachable,
    '57P01': unreachable,
    '57P02': unreachable,
    '57P03': unreachable,
    '57P05': unreachable,
    EMFILE: { is: 'full', words: 'the process has reached the limit of open files' },
    ENFILE: { is: 'full', words: 'the machine has reached the limit of open files' },
    ER_TOO_MANY_USER_CONNECTIONS: { is: 'full', words: tooManyOfUser },
    ER_USER_LIMIT_REACHED: { is: 'full', words: tooManyOfUser },
    ER_ACCESS_DENIED_ERROR: wrongLogin,
    ER_ACCESS_DENIED_NO_PASSWORD_ERROR: wrongLogin,
    '28000': wrongLogin,
    '28P01': wrongLogin,
    ER_ACCOUNT_HAS_BEEN_LOCKED: lockedLogin,
    ER_MUST_CHANGE_PASSWORD: lockedLogin,
    ER_MUST_CHANGE_PASSWORD_LOGIN: lockedLogin,
    ER_BAD_DB_ERROR: { is: 'refused', words: noSuchDatabase },
    '3D000': { is: 'refused', words: noSuchDatabase },
    // The message does not reveal whether the database exists.
    ER_DBACCESS_DENIED_ERROR: { is: 'refused', words: `${noSuchDatabase}, or rejects the user` },
    '57014': ended,
    '55P03': ended,
    '53400': ended,
    ER_QUERY_TIMEOUT: ended,
    ER_QUERY_INTERRUPTED: ended,
    '42501': { ...denied, words: 'the database user is not allowed to connect to the database' },
    ER_TABLEACCESS_DENIED_ERROR: denied,
    ER_COLUMNACCESS_DENIED_ERROR: denied,
    ER_TABLE_DEF_CHANGED: stale,
    ER_NEED_REPREPARE: stale,
    SQLITE_SCHEMA: stale,
    EAI_AGAIN: { is: 'other', words: unknownHost },
    HANDSHAKE_NO_SSL_SUPPORT: { is: 'other', words: withoutTls },
  } satisfies Readonly<Record<string, KnownFailure>>),
)

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

/** Knex prefixes the statement, with its values. */
function driverMessage(error: unknown): string {
  const { message } = asFailure(error)
  return typeof message === 'string' ? (message.split(' - ').at(-1) ?? '') : ''
}

const isKnownAs = (error: unknown, kind: FailureKind): boolean =>
  failures.get(asFailure(error).code)?.is === kind

/** The name is part of our statement, so it comes from a definition. */
const messagesOfMissing = [
  /^no such (?:table|column): (\S+)$/,
  /^Table '(\S+)' doesn't exist$/,
  /^Unknown (?:column|table) '(\S+)'/,
  /^(?:relation|column) "?([^\s"]+)"? does not exist$/,
]

export function missingName(error: unknown): string | undefined {
  const message = driverMessage(error)
  return messagesOfMissing.map((pattern) => pattern.exec(message)?.[1]).find((name) => name !== undefined)
}

/** The tables differ from the definitions. */
export const isDrift = (error: unknown): boolean =>
  isKnownAs(error, 'drift') ||
  (asFailure(error).code === 'SQLITE_ERROR' && /^no such (?:table|column)/.test(driverMessage(error)))

export const isDenied = (error: unknown): boolean => isKnownAs(error, 'denied')

/** A Galera node without its cluster accepts connections and rejects reads. */
export const isCutOff = (error: unknown): boolean => asFailure(error).code === 'ER_UNKNOWN_COM_ERROR'

/** MariaDB's `max_statement_time`. */
const endedByMariadb = 1969

/** A limit of the database, or an operator, ended the statement. */
export const isEnded = (error: unknown): boolean =>
  isKnownAs(error, 'ended') || asFailure(error).errno === endedByMariadb

const isExhausted = ({ name, message }: DatabaseFailure): boolean =>
  name === 'KnexTimeoutError' || message === 'Unable to acquire a connection'

/** The file is locked, missing, unreadable, full or being replaced. */
const fileTrouble = /^SQLITE_(BUSY|LOCKED|PROTOCOL|CANTOPEN|IOERR|FULL|READONLY|PERM|NOTADB|CORRUPT)/

const codeOf = (error: unknown): string => {
  const { code } = asFailure(error)
  return typeof code === 'string' ? code : ''
}

/** Short conflicts: a writer of SQLite, replay on a PostgreSQL standby, a deadlock. A retry may succeed. */
export const isBusy = (error: unknown): boolean =>
  /^(SQLITE_(BUSY|LOCKED)|40001$|40P01$|ER_LOCK_DEADLOCK$)/.test(codeOf(error))

/** Messages without a code. Knex prefixes the statement. */
const lostMessage =
  /(?:^| - )Connection terminated(?: unexpectedly| due to [\w ]+)?$|^aborted$|^Cannot open database|closed state|not queryable/

/** The connection is lost; a read may be retried on another. */
export function isLost(error: unknown): boolean {
  const { message } = asFailure(error)
  return isKnownAs(error, 'unreachable') || (typeof message === 'string' && lostMessage.test(message))
}

const isUntrusted = (error: unknown): boolean =>
  /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_(GET|VERIFY)_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_|HANDSHAKE_)/.test(
    codeOf(error),
  )

/** `pg` has no code for it. */
const lacksTls = (error: unknown): boolean =>
  asFailure(error).message === 'The server does not support SSL connections'

/** MariaDB's code of a locked account. */
const lockedByMariadb = 4151

const isRefused = (error: unknown): boolean =>
  isKnownAs(error, 'refused') ||
  asFailure(error).errno === lockedByMariadb ||
  isUntrusted(error) ||
  lacksTls(error)

export const isUnreachable = (error: unknown): boolean =>
  isExhausted(asFailure(error)) ||
  isKnownAs(error, 'full') ||
  fileTrouble.test(codeOf(error)) ||
  isLost(error) ||
  isRefused(error)

/** The message of the server names the right. MySQL's names the user, too. */
function lacksRight(said: string): ConfigError {
  const problem = `the database user lacks a right: ${said.replace(/ to user '.*?'@'.*?'/, '')}`
  const remedy =
    'run migrate and seed with the database user that owns the tables, or grant the missing right to the current database user'
  return new ConfigError([{ where: 'database', problem, remedy }])
}

/** The driver's error holds the address, and often the user. */
export function withoutAddress(error: unknown): unknown {
  const said = driverMessage(error)
  // PostgreSQL has one code for a refused login and a refused statement.
  if (isDenied(error) && !said.startsWith('permission denied for database')) return lacksRight(said)
  const untrusted = isUntrusted(error)
    ? 'the certificate of the server is not trusted. Set ssl.ca to the certificate authority, remove sslmode from the URL, and use the host name of the certificate'
    : undefined
  const code = codeOf(error)
  const words = failures.get(code)?.words ?? untrusted ?? (lacksTls(error) ? withoutTls : undefined)
  if (words === undefined && !isUnreachable(error)) return error
  return new DatabaseError(code || 'UNREACHABLE', words ?? 'no connection is available')
}

/** An earlier statement failed in the transaction of the connection. */
export const isAfterFailure = (error: unknown): boolean => asFailure(error).code === '25P02'

/**
 * A table was altered after a statement was prepared, or a transaction has failed. The read may be retried unprepared
 * on another connection.
 */
export function isStale(error: unknown): boolean {
  const { code, routine } = asFailure(error)
  const isRevalidated = code === '0A000' && routine === 'RevalidateCachedQuery'
  return isKnownAs(error, 'stale') || isAfterFailure(error) || isRevalidated
}

/** PgBouncer before 1.21 assigns connections per transaction, so that a prepared statement may be unknown. */
export const isPreparedElsewhere = (error: unknown): boolean => /^(42P05|26000)$/.test(codeOf(error))
