import { loggerOf, readTypes } from '../../lib/config'
import { type Database, openDatabase } from '../../lib/database'
import { ConfigError } from '../../lib/errors'
import { faultsOfConfig, findMissingIndexes, type MissingIndex } from '../../lib/http'
import { settleSchema } from '../../lib/tables'
import type { IndexingTime } from './arguments'
import type { CheckedConfig } from './config-file'
import { type ExitCode, type Output, refuseMissingFile } from './output'

async function readMissing(config: CheckedConfig, database: Database): Promise<readonly MissingIndex[]> {
  const logger = loggerOf(config.logger)
  const schema = await settleSchema(database, readTypes(config, logger), logger)
  const faults = faultsOfConfig(config, schema)
  if (faults.length > 0) throw new ConfigError(faults)
  const extensions = config.extensions ?? []
  if (extensions.every(({ missingIndexes }) => missingIndexes === undefined)) {
    const remedy = 'add search({ article: { title: 3 } }) to the extensions of the config'
    throw new ConfigError([
      { where: 'extensions', problem: 'no extension of the config needs a search index', remedy },
    ])
  }
  return findMissingIndexes(extensions, schema, database)
}

/** Creates the missing indexes. On a large table, this takes minutes. */
export async function runSearchIndex(
  config: CheckedConfig,
  when: IndexingTime,
  output: Output,
): Promise<ExitCode> {
  refuseMissingFile(config.database)
  const database = openDatabase(config.database)
  try {
    const missing = await readMissing(config, database)
    const statements = missing.flatMap((one) => one.statements)
    if (when === 'dry run') {
      // A comment of SQL: the output may be executed.
      output.print(statements.length > 0 ? `${statements.join(';\n')};` : '-- Nothing to do.')
      return 0
    }
    if (when === 'never, but compare') {
      for (const { model } of missing) output.complain(`${model.table}: the index is missing or incomplete`)
      if (missing.length === 0) output.print('The indexes are complete.')
      return missing.length === 0 ? 0 : 1
    }
    for (const statement of statements) await database.knex.raw(statement)
    output.print(statements.length === 0 ? 'Nothing to do.' : `${String(statements.length)} statements run.`)
    return 0
  } finally {
    await database.close()
  }
}
