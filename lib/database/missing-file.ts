import { existsSync } from 'node:fs'
import type { Knex } from 'knex'

/** What a configuration has SQLite open. */
export function filenameIn(option: unknown): unknown {
  if (typeof option !== 'object' || option === null) return undefined
  const { client, connection } = option as Partial<Knex.Config>
  if (client !== 'better-sqlite3') return undefined
  return typeof connection === 'string'
    ? connection
    : (connection as { filename?: unknown } | undefined)?.filename
}

/** Whether a configuration means a database of its own to each that opens it, which is gone once that closes it. */
export const isForOne = (option: unknown): boolean => filenameIn(option) === ':memory:'

/** Whether SQLite would make the file that the configuration names. */
export function isMissingFile(option: unknown): boolean {
  const filename = filenameIn(option)
  return typeof filename === 'string' && !/^(:memory:|file:|$)/.test(filename) && !existsSync(filename)
}
