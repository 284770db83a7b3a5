import type { ContentTypesConfig } from '../config'
import { openDatabase, type Database, withoutAddress } from '../database'
import { TablesError, type Fault } from '../errors'
import { migrations, migrationSource, migrationTable } from '../../migrations'
import { readSchema, type Schema } from '../schema'
import { afterwards, compare, type Comparison } from './compare'
import { contentTables } from './content'
import { readTableOptions, readTables, type ActualTables } from './introspect'
import type { TableLayout } from './layout'
import { runStatements } from './run'
import { statementsOf } from './statements'

export interface MigrateOptions {
  /** Says what would be done and changes nothing. */
  readonly dryRun?: boolean
}

export interface Migration {
  /** The SQL that was run, or with `dryRun` would be, one statement an element. None: the tables are as they should be. */
  readonly statements: readonly string[]
  /** What it would take a change of type to bring about. Only a dry run lists it: any other rejects with it. */
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
async function plan(database: Database, schema: Schema): Promise<MigrationPlan> {
  const { dialect } = database
  const actual = await readTables(database)
  const fixed = await pendingTables(database, actual)
  const first = compare(dialect, fixed, actual)
  const wanted = contentTables(schema, actual)
  const second = compare(dialect, wanted, afterwards(dialect, fixed, actual))
  const target = { dialect, tableOptions: await readTableOptions(database) }
  const content = statementsOf(target, second.changes)
  return {
    content,
    statements: [...statementsOf(target, first.changes), ...content],
    refused: distinct(first, second),
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
  const schema = readSchema(config.contentTypes, config.logger)
  const database = openDatabase(config.database)
  try {
    const { content, ...migration } = await plan(database, schema)
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
