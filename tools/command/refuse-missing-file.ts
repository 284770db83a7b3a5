import { isMissingFile } from '../../lib/database'
import { ConfigError } from '../../lib/errors'

/** SQLite would make it, and whoever only reads leaves nothing behind. */
export function refuseMissingFile(database: unknown): void {
  if (!isMissingFile(database)) return
  const remedy = 'run content-router migrate, or name another'
  throw new ConfigError([{ where: 'database.connection.filename', problem: 'there is no such file', remedy }])
}
