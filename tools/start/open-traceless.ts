import { resolve } from 'node:path'
import {
  type Database,
  type DatabaseConfig,
  isMissingFile,
  openDatabase,
  readOnlyDatabase,
  type DatabaseOption,
} from '../../lib/database'
import { databasePlace } from './database-place'
import { refuseOtherFiles } from './refuse-other-files'
import { StartError } from './start-error'

/** A database in which nothing is changed. */
export interface TracelessDatabase {
  readonly option: DatabaseOption
  readonly database: Database
  /** In words that may be shown. */
  readonly place: string
  readonly close: () => Promise<void>
}

function fileOf({ client, connection }: DatabaseConfig): string | null {
  if (client !== 'better-sqlite3') return null
  const given: unknown =
    typeof connection === 'string' ? connection : (connection as { filename?: unknown } | undefined)?.filename
  return typeof given === 'string' && !/^(:memory:|file:|$)/.test(given) ? given : null
}

function missingFile(file: string, isStrapi: boolean): StartError {
  const makes = isStrapi
    ? 'Start Strapi once (npm run develop), which makes it'
    : 'npx express-content-router migrate makes it'
  return new StartError(
    `There is no database file ${file}.\n${makes}; or name another: --client better-sqlite3 --connection path/to/data.db`,
  )
}

function opened(option: DatabaseConfig, folder: string): TracelessDatabase {
  const file = fileOf(option)
  if (file !== null) refuseOtherFiles(file)
  const knex = readOnlyDatabase(option, folder)
  return {
    option: knex,
    database: openDatabase(knex),
    place: databasePlace(option, folder),
    close: () => knex.destroy(),
  }
}

/** Opens it so that it stays as it is. What a config opened itself is left to it. */
export function openTraceless(option: DatabaseOption, folder: string, isStrapi: boolean): TracelessDatabase {
  if (typeof option === 'function') {
    const place = databasePlace(option, folder)
    return { option, place, database: openDatabase(option), close: () => option.destroy() }
  }
  const file = fileOf(option)
  const seen = file === null ? option : { ...option, connection: { filename: resolve(folder, file) } }
  if (isMissingFile(seen)) throw missingFile(String(file), isStrapi)
  return opened(seen, folder)
}
