import type { Knex } from 'knex'
import { DatabaseError, type Fault } from '../errors'
import { isUnreachable, isUntrusted, lacksTls } from './database-failure'

const wrongLogin = 'it accepts neither this user nor this password'
const lockedLogin = 'the account of this user is locked, or its password has expired'
const manyOfUser = 'this user has as many connections as it may'
const noSuchDatabase = 'it has no database of this name'
const withoutTls = 'it speaks no TLS, which the connection asks for'

/** What drivers and servers say of a connection that could not be made, in words that hold nothing of its settings. */
const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens where it should be',
  ENOTFOUND: 'its host is not known',
  EMFILE: 'this process has as many files open as it may',
  ENFILE: 'this machine has as many files open as it can',
  EAI_AGAIN: 'its host is not known',
  ER_UNKNOWN_COM_ERROR: 'this node of Galera is cut off from its cluster',
  ER_ACCESS_DENIED_ERROR: wrongLogin,
  // Whether there is one that this user may not open is not told.
  ER_DBACCESS_DENIED_ERROR: `${noSuchDatabase}, or this user may not open it`,
  ER_ACCESS_DENIED_NO_PASSWORD_ERROR: wrongLogin,
  '28000': wrongLogin,
  '42501': 'this user may not connect to its database',
  '28P01': wrongLogin,
  ER_ACCOUNT_HAS_BEEN_LOCKED: lockedLogin,
  ER_MUST_CHANGE_PASSWORD: lockedLogin,
  ER_MUST_CHANGE_PASSWORD_LOGIN: lockedLogin,
  ER_TOO_MANY_USER_CONNECTIONS: manyOfUser,
  ER_USER_LIMIT_REACHED: manyOfUser,
  ER_SERVER_OFFLINE_MODE: 'it is in offline mode',
  ER_BAD_DB_ERROR: noSuchDatabase,
  '3D000': noSuchDatabase,
  HANDSHAKE_NO_SSL_SUPPORT: withoutTls,
}

/** Words for what has too many codes to list, or none. */
function wordsFor(error: unknown): string | undefined {
  if (isUntrusted(error))
    return 'its certificate is not trusted here: name its authority in ssl.ca, with no sslmode in a URL beside it, and the host as the certificate does'
  return lacksTls(error) ? withoutTls : undefined
}

/** The driver's own error holds the address, and often the user's name as well: it goes no further. */
export function withoutAddress(error: unknown): unknown {
  const { code } = (error ?? {}) as { readonly code?: unknown }
  const listed = typeof code === 'string' && Object.hasOwn(words, code) ? words[code] : undefined
  const known = listed ?? wordsFor(error)
  if (known === undefined && !isUnreachable(error)) return error
  const name = typeof code === 'string' ? code : 'UNREACHABLE'
  return new DatabaseError(name, known ?? 'there is no connection to it')
}

function isReadable(url: string): boolean {
  if (!/^(\w+:\/\/|socket:)/.test(url) || !URL.canParse(url)) return false
  const { username, password } = new URL(url)
  try {
    decodeURIComponent(username + password)
    return true
  } catch {
    return false
  }
}

/** A text that is no URL would be taken for a file's name, or be shown in the error that says so. */
export function faultsOfConnection({ client, connection }: Knex.Config): Fault[] {
  if (typeof connection !== 'string' || client === 'better-sqlite3') return []
  const isSocket = client === 'pg' && connection.startsWith('/')
  if (isSocket || isReadable(connection)) return []
  const problem = 'is no URL that can be read'
  const scheme = client === 'pg' ? 'postgres' : 'mysql'
  const remedy = `write ${scheme}://user:password@host/database; in the password # is %23, / is %2F and % is %25`
  return [{ where: 'database.connection', problem, remedy }]
}
