import { checkConfigObject, type ContentTypesConfig, loggerOf } from '../config'
import { openDatabase, openForLooking, type Database, withoutAddress } from '../database'
import { TablesError, type Fault } from '../errors'
import { migrations, migrationSource, migrationTable } from '../../migrations'
import { readSchema, type Schema } from '../schema'
import { afterwards, compareLayouts, type Comparison } from './compare'
import { contentTables } from './content-tables'
import { settleSchema } from './settle-schema'
import { readTableOptions, readTables, type ActualTables } from './read-tables'
import { keeperOf, refusalOf } from './keeper'
import type { TableLayout } from './table-layout'
import { runStatements } from './run-statements'
import { statementsOf } from './statements'

export interface MigrateOptions {
  /** Says what would be done and changes nothing. */
  readonly dryRun?: boolean
  /** Adds to the tables of a Strapi as well, which otherwise are Strapi's alone to change. */
  readonly strapiDatabase?: boolean
}

export interface Migration {
  /** The SQL that was run, or with `dryRun` would be, one statement an element. None: the tables are as they should be. */
  readonly statements: readonly string[]
  /** What it would take a change of type to bring about, or is Strapi's to do. Only a dry run lists it: any other rejects with it. */
  readonly refused: readonly Fault[]
  /** `table.column` of columns that no definition names any more; they and their content stay. */
  readonly unused: readonly string[]
}

interface MigrationPlan extends Migration {
  readonly content: readonly string[]
}

async function pendingTables({ knex }: Database, actual: ActualTables): Promise<readonly TableLayout[]> {
  const known = actual.has(migrationTable) ? ((await knex(migrationTable).pluck('name')) as string[]) : []
  return migrations.filter(({ name }) => !known.includes(name)).flatMap(({ tables }) => tables)
}

/** The fixed tables may be named by the definitions as well; what the first pass adds, the second finds. */
async function plan(database: Database, schema: Schema, isTold: boolean): Promise<MigrationPlan> {
  const { dialect } = database
  const actual = await readTables(database)
  const fixed = await pendingTables(database, actual)
  const first = compareLayouts(dialect, fixed, actual)
  const wanted = contentTables(schema, actual)
  const second = compareLayouts(dialect, wanted, afterwards(dialect, fixed, actual))
  // What is there already needs no permission.
  const isDone = first.changes.length + second.changes.length === 0
  const kept = isTold || isDone ? [] : refusalOf(keeperOf(actual))
  const target = { dialect, tableOptions: await readTableOptions(database) }
  const content = statementsOf(target, second.changes)
  return {
    content,
    statements: [...statementsOf(target, first.changes), ...content],
    refused: kept.length > 0 ? kept : distinct(first, second),
    unused: second.unused,
  }
}

function distinct(first: Comparison, second: Comparison): readonly Fault[] {
  const places = new Set(first.refused.map(({ where }) => where))
  return [...first.refused, ...second.refused.filter(({ where }) => !places.has(where))]
}

async function apply({ knex, dialect }: Database, content: readonly string[]): Promise<void> {
  await knex.migrate.latest({ tableName: migrationTable, migrationSource })
  // MySQL ends a transaction at every change of a table.
  if (dialect === 'mysql') await runStatements(knex, content)
  else await knex.transaction((transaction) => runStatements(transaction, content))
}

/** Creates and extends the tables of the definitions. Only adds, and may be repeated. */
export async function migrate(config: ContentTypesConfig, options: MigrateOptions = {}): Promise<Migration> {
  checkConfigObject(config)
  const logger = loggerOf(config.logger)
  const read = readSchema(config.contentTypes, logger, config)
  const database = (options.dryRun === true ? openForLooking : openDatabase)(config.database)
  try {
    const schema = await settleSchema(database, read, logger)
    const { content, ...migration } = await plan(database, schema, options.strapiDatabase === true)
    if (options.dryRun === true) return migration
    if (migration.refused.length > 0) throw new TablesError(migration.refused)
    await apply(database, content)
    return migration
  } catch (error) {
    throw withoutAddress(error)
  } finally {
    await database.close()
  }
}
