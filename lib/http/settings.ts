import { faultsOfStrapiAuth } from '../access'
import {
  type ContentRouterConfig,
  faultsOfLogger,
  faultsOfOptions,
  type FilledOptions,
  fillOptions,
  type Logger,
  loggerOf,
  wholeConfigOf,
} from '../config'
import { faultsOfServers } from '../database'
import { ConfigError, type Fault } from '../errors'
import { readSchema, type Schema } from '../schema'
import { consoleLogger } from './console-logger'
import { harmlessLogger } from './harmless-logger'
import { withheldReads } from './withheld-reads'
import { wrongPermissions } from './wrong-permissions'
import { faultsOfDefaults } from './default-queries'
import { faultsOfNamedQueries } from './named-queries'
import { faultsOfOptionNames } from './option-names'

/** A configuration with every default filled in. */
export interface Settings extends FilledOptions {
  readonly schema: Schema
  readonly logger: Logger
  /** Reads of types, by `readName`, that are not served at paths of their own. */
  readonly withheld: ReadonlySet<string>
}

const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}

interface SchemaOrFaults {
  readonly schema: Schema | null
  readonly faults: readonly Fault[]
}

function tryReadSchema(config: ContentRouterConfig, logger: Logger): SchemaOrFaults {
  const { contentTypes } = config
  try {
    return { schema: readSchema(contentTypes, logger, config), faults: [] }
  } catch (error) {
    if (error instanceof ConfigError) return { schema: null, faults: error.faults }
    throw error
  }
}

function faultsOfRole(role: ContentRouterConfig['role']): Fault[] {
  return typeof role === 'object' && 'source' in role ? faultsOfStrapiAuth(role) : []
}

/** Who forgets them sees nothing but 403. */
function warnOfNoPermissions({ permissions = {} }: ContentRouterConfig, logger: Logger): void {
  if (typeof permissions === 'function' || Object.keys(permissions).length > 0) return
  const remedy = `permissions: { public: { find: ['article'] } }`
  logger.warn({ remedy }, 'no permissions are given: every request is answered with 403')
}

export function readSettings(given: ContentRouterConfig): Settings {
  const config = wholeConfigOf(given)
  const told = loggerOf(config.logger) ?? (config.logger === false ? silent : consoleLogger())
  const logger = harmlessLogger(told, consoleLogger())
  const { schema, faults } = tryReadSchema(config, logger)
  const all = [
    ...faultsOfServers(config.database),
    ...faultsOfLogger(config.logger),
    ...faultsOfOptions(config),
    ...faultsOfRole(config.role),
    ...faults,
    ...(schema === null ? [] : wrongPermissions(config.permissions, schema)),
    ...(schema === null ? [] : faultsOfOptionNames(config, schema)),
    ...(schema === null ? [] : faultsOfDefaults(config, schema)),
    ...(schema === null ? [] : faultsOfNamedQueries(config, schema)),
  ]
  if (schema === null || all.length > 0) throw new ConfigError(all)
  warnOfNoPermissions(config, logger)
  const options = fillOptions(config)
  return { ...options, schema, logger, withheld: withheldReads(schema, options.projectCode, logger) }
}
