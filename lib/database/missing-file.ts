import { existsSync } from 'node:fs'
import type { Knex } from 'knex'

/** Whether SQLite would make the file that the configuration names. */
export function isMissingFile(option: unknown): boolean {
  if (typeof option !== 'object' || option === null) return false
  const { client, connection } = option as Partial<Knex.Config>
  if (client !== 'better-sqlite3') return false
  const filename: unknown =
    typeof connection === 'string' ? connection : (connection as { filename?: unknown } | undefined)?.filename
  return typeof filename === 'string' && !/^(:memory:|file:|$)/.test(filename) && !existsSync(filename)
}
