import { clientOf, type DatabaseConfig } from '../../lib/database'
import type { StartOptions } from './start-options'

/** A URL names its client. Other texts are files of SQLite. */
export function databaseAt({
  client: named,
  where,
}: NonNullable<StartOptions['connection']>): DatabaseConfig {
  const client = named ?? clientOf(where) ?? 'better-sqlite3'
  return { client, connection: client === 'better-sqlite3' ? { filename: where } : where }
}
