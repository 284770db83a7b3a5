import { type Identity, makeGranting, permit, requestNeeds, roleSchema } from '../access'
import {
  checkConfigObject,
  type ContentTypesConfig,
  type CoreConfig,
  faultsOfDefaultOptions,
  faultsOfLogger,
  faultsOfOptions,
  fillOptions,
  type FilledOptions,
  isPermissionsSource,
  isRoleSource,
  isTable,
  type Logger,
  loggerOf,
  readTypes,
  withDefaults,
} from '../config'
import { faultsOfDatabase } from '../database'
import { ConfigError, type Fault } from '../errors'
import { makePlan } from '../plan'
import { parseQuery } from '../query'
import type { Schema } from '../schema'
import type { TableNeeds } from '../tables'
import { faultsOfOptionNames, warnOfGrants, checkPermissions } from './check-permissions'
import { type AnswerError, makeErrorResponses, makeOutageLog, type OutageLog } from './errors'
import type { CheckedCore, CoreSettings, Extension } from './extension'
import { limitsOf, nameRoleLimit, planSettings } from './limits'
import { addedQueries, faultsOfExtensions, typesOfRoutes, withheldTypes } from './run-extensions'

export interface ContentRouterConfig extends CoreConfig {
  /** Adds features to the core: `extensions: [openapi()]`. */
  readonly extensions?: readonly Extension[]
}

export interface Settings extends CoreSettings {
  readonly needs: TableNeeds
  readonly outages: OutageLog
  readonly answerError: AnswerError
  /** The option `drafts`. Permissions of the database grant drafts role by role. */
  readonly areDraftsOpen: boolean
}

const ignore = (): void => undefined
export const silentLogger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore }

/** Ids in responses are useless if their errors are logged nowhere. */
function consoleLogger(): Logger {
  const { error, warn } = console
  const printedBy =
    (print: typeof warn): Logger['warn'] =>
    (facts, message) => {
      print(`express-content-router: ${message}`, facts)
    }
  return { ...silentLogger, warn: printedBy(warn), error: printedBy(error) }
}

/** May read everything. */
export const unrestricted: Identity = { kind: 'token', may: () => true }

/** The database is not known yet. */
const checkedCore = (options: FilledOptions, schema: Schema): CheckedCore => ({
  schema,
  tryQuery: (model, raw, base) => {
    const asked = { kind: model.kind === 'singleType' ? 'single' : 'list' } as const
    const shared = planSettings(options, schema, null)
    const grants = makeGranting(shared, false)({}, unrestricted)
    const defaultLocale = options.defaultLocale ?? 'en'
    for (const ofRole of [{}, ...Object.values(options.limitsByRole)]) {
      const limits = limitsOf(options, [ofRole])
      const own = { ...shared, ...limits, defaultLocale, hasColumn: () => true, isReadable: () => true }
      try {
        const query = parseQuery(raw, limits.query, base && [base])
        const plan = makePlan(own, { model, asked, query })
        const isDraft = query.status === 'draft'
        const types = roleSchema(schema, grants, { model, action: 'find', isDraft })
        permit(schema, plan, { grants, types, drafts: 'open', action: 'find', tell: null })
      } catch (error) {
        throw nameRoleLimit(limits, error)
      }
    }
  },
})

/** Faults of the database and the definitions are found elsewhere. */
export function faultsOfConfig(
  given: ContentTypesConfig & Partial<ContentRouterConfig>,
  schema: Schema | null,
): Fault[] {
  const config = withDefaults(given)
  const ofOptions = faultsOfOptions(given)
  const core = schema === null || ofOptions.length > 0 ? null : checkedCore(fillOptions(config), schema)
  const { extensions: listed = [] } = given
  // Faults of the list itself are found with its extensions.
  const isExtension = (one: unknown): one is Extension => isTable(one)
  const extensions = Array.isArray(listed) ? listed.filter(isExtension) : []
  return [
    ...faultsOfLogger(config.logger),
    ...ofOptions,
    ...faultsOfDefaultOptions(given),
    ...faultsOfExtensions(config, core),
    ...(isRoleSource(config.role) ? config.role.check() : []),
    ...(schema === null || !Array.isArray(listed) ? [] : checkPermissions(config, schema, extensions)),
    ...(schema === null ? [] : faultsOfOptionNames(config, schema)),
  ]
}

function tryReadSchema(
  config: CoreConfig,
  logger: Logger,
): { readonly schema: Schema | null; readonly faults: readonly Fault[] } {
  try {
    return { schema: readTypes(config, logger), faults: [] }
  } catch (error) {
    if (error instanceof ConfigError) return { schema: null, faults: error.faults }
    throw error
  }
}

export function readSettings(given: ContentRouterConfig): Settings {
  checkConfigObject(given)
  const config = withDefaults(given)
  const logger = loggerOf(config.logger) ?? (config.logger === false ? silentLogger : consoleLogger())
  const { schema, faults } = tryReadSchema(config, logger)
  const all = [...faultsOfDatabase(config.database), ...faultsOfConfig(given, schema), ...faults]
  if (schema === null || all.length > 0) throw new ConfigError(all)
  warnOfGrants(config, schema, logger)
  const { extensions = [] } = config
  const options = fillOptions(config)
  const { hostErrors } = options
  const outages = makeOutageLog(logger)
  return {
    ...options,
    ...addedQueries(extensions),
    ...{ extensions, schema, logger },
    drafts: isPermissionsSource(options.permissions) ? 'granted' : options.drafts,
    areDraftsOpen: options.drafts === 'open',
    withheld: withheldTypes(extensions, schema, logger),
    needs: requestNeeds(options, schema, typesOfRoutes(extensions)),
    outages,
    answerError: makeErrorResponses({ logger, outages, hostErrors }),
  }
}
