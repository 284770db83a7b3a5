import { faultsOfStrapiAuth } from '../access'
import {
  type ContentRouterConfig,
  faultsOfOptions,
  type FilledOptions,
  fillOptions,
  type Logger,
} from '../config'
import { ConfigError, type Fault } from '../errors'
import { readSchema, type Schema } from '../schema'
import { wrongPermissions } from './check-permissions'
import { faultsOfNames } from './option-names'

/** A configuration with every default filled in. */
export interface Settings extends FilledOptions {
  readonly schema: Schema
  readonly logger: Logger
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

function tryReadSchema({ contentTypes, logger = silent }: ContentRouterConfig): SchemaOrFaults {
  try {
    return { schema: readSchema(contentTypes, logger), faults: [] }
  } catch (error) {
    if (error instanceof ConfigError) return { schema: null, faults: error.faults }
    throw error
  }
}

function faultsOfRole(role: ContentRouterConfig['role']): Fault[] {
  return typeof role === 'object' && 'source' in role ? faultsOfStrapiAuth(role) : []
}

export function readSettings(config: ContentRouterConfig): Settings {
  const { schema, faults } = tryReadSchema(config)
  const all = [
    ...faultsOfOptions(config),
    ...faultsOfRole(config.role),
    ...faults,
    ...(schema === null ? [] : wrongPermissions(config.permissions, schema)),
    ...(schema === null ? [] : faultsOfNames(config, schema)),
  ]
  if (schema === null || all.length > 0) throw new ConfigError(all)
  return { ...fillOptions(config), schema, logger: config.logger ?? silent }
}
