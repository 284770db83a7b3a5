import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, renameSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Knex } from 'knex'
import { type ContentRouterConfig, migrate } from '../../lib'
import { isPlain } from './corpus'
import { pluginTypes } from './plugin-types'

type Types = Pick<ContentRouterConfig, 'contentTypes'>

/** One world is served with many options: it has every table that one of them may need. */
const migrateForAll = (types: Types, database: Knex.Config): Promise<unknown> =>
  migrate({ ...types, extensions: [pluginTypes], database })

/**
 * Migrates an empty SQLite file. The first world with these types keeps a copy, the others begin with that copy: to migrate
 * takes longer than most specs.
 */
async function migrateFile(types: Types, database: Knex.Config): Promise<void> {
  const { filename } = database.connection as { readonly filename: string }
  const hash = createHash('sha256').update(JSON.stringify(types)).digest('hex').slice(0, 24)
  const template = join(dirname(filename), `migrated-${hash}`)
  if (existsSync(template)) {
    copyFileSync(template, filename)
    return
  }
  await migrateForAll(types, database)
  // Another worker may be at the same types.
  const copy = `${template}-${basename(filename)}`
  copyFileSync(filename, copy)
  renameSync(copy, template)
}

export async function migrateWorld(types: Types, database: Knex.Config): Promise<void> {
  if (database.client === 'better-sqlite3' && isPlain(types)) return migrateFile(types, database)
  await migrateForAll(types, database)
}
