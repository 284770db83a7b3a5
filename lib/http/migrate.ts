import { requestNeeds } from '../access'
import {
  checkConfigObject,
  type CoreConfig,
  type ContentTypesConfig,
  faultsOfOptions,
  fillOptions,
} from '../config'
import { ConfigError } from '../errors'
import { faultsOfUnknown } from '../schema'
import { migrateTables, type MigrateOptions, type Migration } from '../tables'
import { wrongPermissions } from './wrong-permissions'

const migrateOptions: Readonly<Record<keyof MigrateOptions, true>> = {
  ...{ dryRun: true, strapiDatabase: true, adopt: true },
}

/**
 * Creates and extends the tables of the definitions, and those that the options of the router need. Only adds, and may
 * be repeated.
 */
export async function migrate(
  config: ContentTypesConfig & Partial<CoreConfig>,
  options: MigrateOptions = {},
): Promise<Migration> {
  checkConfigObject(config)
  // A misspelt `dryRun` must not change tables.
  const unknown = faultsOfUnknown(options, migrateOptions, 'there is no such option of migrate')
  const faults = [...faultsOfOptions(config), ...unknown]
  if (faults.length > 0) throw new ConfigError(faults)
  return migrateTables(config, options, (schema) => {
    const wrong = [...wrongPermissions(config, schema)]
    if (wrong.length > 0) throw new ConfigError(wrong)
    return requestNeeds(fillOptions(config), schema)
  })
}
