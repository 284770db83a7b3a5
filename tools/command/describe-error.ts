import type { DatabaseOption } from '../../lib/database'
import { ConfigError, TablesError } from '../../lib/errors'

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function secretsIn(connection: unknown): readonly string[] {
  if (typeof connection === 'string') {
    const password = URL.canParse(connection) ? new URL(connection).password : connection
    return [password, decoded(password)]
  }
  const { password } = (connection ?? {}) as { password?: unknown }
  return typeof password === 'string' ? [password] : []
}

/** The words of a driver or a server, without stack; without words too, where they repeat the password. */
export function describeError(error: unknown, database: DatabaseOption): string {
  if (error instanceof ConfigError || error instanceof TablesError) return error.message
  const { code, message } = error as { code?: unknown; message?: unknown }
  const name = typeof code === 'string' ? code : 'Failed'
  const words = typeof message === 'string' ? message : ''
  const secrets =
    typeof database === 'object' && 'connection' in database ? secretsIn(database.connection) : []
  const tells = secrets.some((secret) => secret !== '' && words.includes(secret))
  if (words === '' || tells) return `${name}: the database cannot be used`
  return words.startsWith(name) ? words : `${name}: ${words}`
}
