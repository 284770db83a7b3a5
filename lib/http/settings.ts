import { requestNeeds } from '../access'
import {
  checkConfigObject,
  type CoreConfig,
  faultsOfDefaultOptions,
  faultsOfLogger,
  faultsOfOptions,
  fillOptions,
  isPermissionsSource,
  isRoleSource,
  type Logger,
  loggerOf,
  readTypes,
  withDefaults,
} from '../config'
import { faultsOfDatabase } from '../database'
import { ConfigError, type Fault } from '../errors'
import type { Schema } from '../schema'
import type { TableNeeds } from '../tables'
import { consoleLogger, silentLogger } from './console-logger'
import {
  addedQueries,
  type CheckedCore,
  type CoreSettings,
  type Extension,
  faultsOfExtensions,
  typesOfRoutes,
} from './extension'
import { type Outage, watchOutage } from './outage'
import { warnOfGrants } from './warn-of-grants'
import { withheldTypes } from './withheld-types'
import { wrongPermissions } from './wrong-permissions'
import { faultsOfOptionNames } from './option-names'
import { tryQuery } from './try-query'

export interface ContentRouterConfig extends CoreConfig {
  /** Features besides the core: `extensions: [openapi()]`. */
  readonly extensions?: readonly Extension[]
}

/** A configuration with every default filled in. */
export interface Settings extends CoreSettings {
  readonly needs: TableNeeds
  readonly outage: Outage
  /** What the option `drafts` says. Where the database keeps the permissions, these say it role by role. */
  readonly areDraftsOpen: boolean
}

interface SchemaOrFaults {
  readonly schema: Schema | null
  readonly faults: readonly Fault[]
}

function tryReadSchema(config: CoreConfig, logger: Logger): SchemaOrFaults {
  try {
    return { schema: readTypes(config, logger), faults: [] }
  } catch (error) {
    if (error instanceof ConfigError) return { schema: null, faults: error.faults }
    throw error
  }
}

export function checkedCore(config: CoreConfig, schema: Schema): CheckedCore {
  const options = fillOptions(config)
  return {
    schema,
    tryQuery: (model, ...query) => {
      tryQuery({ options, schema, model }, ...query)
    },
  }
}

export function readSettings(given: ContentRouterConfig): Settings {
  checkConfigObject(given)
  const config = withDefaults(given)
  const logger = loggerOf(config.logger) ?? (config.logger === false ? silentLogger : consoleLogger())
  const { schema, faults } = tryReadSchema(config, logger)
  const ofOptions = faultsOfOptions(given)
  const core = schema === null || ofOptions.length > 0 ? null : checkedCore(config, schema)
  const all = [
    ...faultsOfDatabase(config.database),
    ...faultsOfLogger(config.logger),
    ...ofOptions,
    ...faultsOfDefaultOptions(given),
    ...faultsOfExtensions(config, core),
    ...(isRoleSource(config.role) ? config.role.check() : []),
    ...faults,
    ...(schema === null ? [] : wrongPermissions(config, schema)),
    ...(schema === null ? [] : faultsOfOptionNames(config, schema)),
  ]
  if (schema === null || all.length > 0) throw new ConfigError(all)
  warnOfGrants(config, schema, logger)
  const { extensions = [] } = config
  const options = fillOptions(config)
  const areDraftsOpen = options.drafts === 'open'
  const drafts = isPermissionsSource(options.permissions) ? 'granted' : options.drafts
  const withheld = withheldTypes(schema, extensions, logger)
  const needs = requestNeeds(options, schema, typesOfRoutes(extensions))
  const outage = watchOutage(logger)
  return {
    ...options,
    ...addedQueries(extensions),
    extensions,
    drafts,
    areDraftsOpen,
    schema,
    logger,
    withheld,
    needs,
    outage,
  }
}
