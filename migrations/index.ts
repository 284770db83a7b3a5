// Comes in: nothing. Goes out: the fixed tables, those that follow from no definition, as Knex migrations in the
// order in which they run, and as a source for Knex that reads no folder. They add what a database lacks, so they
// are safe where Strapi has made the tables.
import type { Knex } from 'knex'
import { openDatabase } from '../lib/database'
import type { TableLayout } from '../lib/tables/table-layout'
import { addTables } from '../lib/tables/run-statements'
import { media } from './20260101000000-media'
import { locales } from './20260101000001-locales'
import { roles } from './20260101000002-roles'

/** Not `knex_migrations`: the application that mounts the router may have migrations of its own. */
export const migrationTable = 'content_router_migrations'

/** A name stays for good: databases remember it. */
export interface FixedTables extends Knex.Migration {
  readonly name: string
  readonly tables: readonly TableLayout[]
}

/** Strapi may have made the tables, and they hold content: nothing of ours drops them. */
const down = (): Promise<never> => Promise.reject(new Error('The fixed tables are never dropped'))

function migration(name: string, tables: readonly TableLayout[]): FixedTables {
  return { name, tables, up: (knex) => addTables(openDatabase(knex), tables), down }
}

export const migrations: readonly FixedTables[] = [
  migration('20260101000000-media', media),
  migration('20260101000001-locales', locales),
  migration('20260101000002-roles', roles),
]

export const migrationSource: Knex.MigrationSource<FixedTables> = {
  getMigrations: () => Promise.resolve([...migrations]),
  getMigrationName: ({ name }) => name,
  getMigration: (fixed) => Promise.resolve(fixed),
}
