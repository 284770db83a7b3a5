import type { Knex } from 'knex'
import type { Database } from '../database'
import { TablesError } from '../errors'
import { compareLayouts } from './compare'
import { readTableOptions, readTables } from './read-tables'
import type { TableLayout } from './table-layout'
import { statementsOf } from './statements'

/** One after another: they build on each other. */
export async function runStatements(knex: Knex, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await knex.raw(statement)
}

/** Brings tables to the layouts by additions alone; refuses, before it changes anything, what needs more. */
export async function addTables(database: Database, layouts: readonly TableLayout[]): Promise<void> {
  const { changes, refused } = compareLayouts(database.dialect, layouts, await readTables(database))
  if (refused.length > 0) throw new TablesError(refused)
  const target = { dialect: database.dialect, tableOptions: await readTableOptions(database) }
  await runStatements(database.knex, statementsOf(target, changes))
}
