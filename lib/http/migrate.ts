import { requestNeeds } from '../access'
import {
  checkConfigObject,
  type CoreConfig,
  type ContentTypesConfig,
  faultsOfOptions,
  fillOptions,
} from '../config'
import { ConfigError, type Fault } from '../errors'
import { didYouMean } from '../schema'
import { migrateTables, type MigrateOptions, type Migration } from '../tables'
import { wrongPermissions } from './wrong-permissions'

const known = ['dryRun', 'strapiDatabase', 'adopt'] as const satisfies readonly (keyof MigrateOptions)[]

/** A misspelt `dryRun` must not change tables. */
const faultsOfMigrateOptions = (options: MigrateOptions): Fault[] =>
  Object.keys(options)
    .filter((name) => !known.some((one) => one === name))
    .map((where) => ({
      where,
      problem: 'there is no such option of migrate',
      remedy: didYouMean(where, known),
    }))

/**
 * Creates and extends the tables of the definitions, and those that the options of the router need. Only adds, and may
 * be repeated.
 */
export async function migrate(
  config: ContentTypesConfig & Partial<CoreConfig>,
  options: MigrateOptions = {},
): Promise<Migration> {
  checkConfigObject(config)
  const faults = [...faultsOfOptions(config), ...faultsOfMigrateOptions(options)]
  if (faults.length > 0) throw new ConfigError(faults)
  return migrateTables(config, options, (schema) => {
    const wrong = [...wrongPermissions(config, schema)]
    if (wrong.length > 0) throw new ConfigError(wrong)
    return requestNeeds(fillOptions(config), schema)
  })
}
