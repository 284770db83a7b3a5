import { requestNeeds } from '../access'
import { checkConfigObject, type ContentTypesConfig, fillOptions, withDefaults } from '../config'
import { ConfigError } from '../errors'
import { faultsOfUnknown } from '../schema'
import { migrateTables, type MigrateOptions, type Migration } from '../tables'
import { typesOfRoutes } from './extension'
import { type ContentRouterConfig, faultsOfConfig } from './settings'

const migrateOptions: Readonly<Record<keyof MigrateOptions, true>> = {
  ...{ dryRun: true, strapiDatabase: true, adopt: true },
}

/**
 * Creates and extends the tables of the definitions, and those that the options of the router need. Only adds, and may
 * be repeated.
 */
export async function migrate(
  given: ContentTypesConfig & Partial<ContentRouterConfig>,
  options: MigrateOptions = {},
): Promise<Migration> {
  checkConfigObject(given)
  const config = withDefaults(given)
  // A misspelt `dryRun` must not change tables.
  const unknown = faultsOfUnknown(options, migrateOptions, 'there is no such option of migrate')
  const faults = [...faultsOfConfig(given, null), ...unknown]
  if (faults.length > 0) throw new ConfigError(faults)
  return migrateTables(config, options, (schema) => {
    const wrong = faultsOfConfig(given, schema)
    if (wrong.length > 0) throw new ConfigError(wrong)
    return requestNeeds(fillOptions(config), schema, typesOfRoutes(config.extensions))
  })
}
