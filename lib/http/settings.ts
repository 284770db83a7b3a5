import { requestNeeds, makeGranting, permit, roleSchema } from '../access'
import {
  checkConfigObject,
  type ContentTypesConfig,
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
  type FilledOptions,
} from '../config'
import { faultsOfDatabase } from '../database'
import { ConfigError, type Fault } from '../errors'
import type { Schema, Model, Uid } from '../schema'
import type { TableNeeds } from '../tables'
import { makePlan, type PlanSettings } from '../plan'
import { parseQuery, type Query } from '../query'
import {
  addedQueries,
  type CheckedCore,
  type CoreSettings,
  type Extension,
  faultsOfExtensions,
  typesOfRoutes,
} from './extension'
import { warnOfGrants } from './warn-of-grants'
import { faultsOfOptionNames, isPlainTable, wrongPermissions } from './wrong-permissions'
import { type AnswerLimits, asHolding, everyLimits } from './limits'
import { jsonOn, ruleSettings } from './rule-settings'

const ignore = (): void => undefined
export const silentLogger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore }

const printed =
  (print: (text: string, facts: object) => void): Logger['error'] =>
  (facts, message) => {
    print(`express-content-router: ${message}`, facts)
  }

/** Ids in responses are useless if their errors are logged nowhere. */
function consoleLogger(): Logger {
  const { error, warn } = console
  return { ...silentLogger, warn: printed(warn), error: printed(error) }
}

/** The database is not known yet, so features of one database are accepted. */
function planSettings(options: FilledOptions, schema: Schema, limits: AnswerLimits): PlanSettings {
  return {
    ...options,
    ...limits,
    schema,
    defaultLocale: options.defaultLocale ?? 'en',
    refusesUnstorable: true,
    matching: options.textMatching,
    ...jsonOn(null, options),
    isKey: () => true,
    hasColumn: () => true,
    isReadable: () => true,
  }
}

interface TriedType {
  readonly options: FilledOptions
  readonly schema: Schema
  readonly model: Model
}

function tryWithin({ options, schema, model }: TriedType, limits: AnswerLimits, query: Query): void {
  const asked = { kind: model.kind === 'singleType' ? 'single' : 'list' } as const
  const granting = makeGranting(ruleSettings(options, schema, null), false)
  const grants = granting({}, { kind: 'token', may: () => true })
  const plan = makePlan(planSettings(options, schema, limits), { model, asked, query })
  const types = roleSchema(schema, grants, { model, action: 'find', isDraft: query.status === 'draft' })
  permit(schema, plan, { grants, types, drafts: 'open', action: 'find', tell: null })
}

const checkedCore = (options: FilledOptions, schema: Schema): CheckedCore => ({
  schema,
  tryQuery: (model, raw, base) => {
    for (const limits of everyLimits(options)) {
      try {
        tryWithin({ options, schema, model }, limits, parseQuery(raw, limits.query, base && [base]))
      } catch (error) {
        throw asHolding(limits, error)
      }
    }
  },
})

/** The end of an outage is logged if its beginning was. */
interface Outage {
  readonly logged: () => void
  readonly over: () => void
}

function watchOutage(logger: Logger): Outage {
  let since: number | null = null
  return {
    logged: () => {
      since ??= performance.now()
    },
    over: () => {
      if (since === null) return
      const seconds = Math.round((performance.now() - since) / 1000)
      since = null
      logger.warn({ seconds }, 'the database can be reached again')
    },
  }
}

export interface ContentRouterConfig extends CoreConfig {
  /** Features in addition to the core: `extensions: [openapi()]`. */
  readonly extensions?: readonly Extension[]
}

export interface Settings extends CoreSettings {
  readonly needs: TableNeeds
  readonly outage: Outage
  /** What the option `drafts` says. Where the database keeps the permissions, these say it role by role. */
  readonly areDraftsOpen: boolean
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

/** A role that may only use queries by their names, where there are none, could read nothing. */
function faultsOfNamedOnly({ permissions, extensions }: Partial<ContentRouterConfig>): Fault[] {
  const given: unknown = extensions ?? []
  const hasQueries = (one: unknown): boolean => isPlainTable(one) && one['rewriteQuery'] !== undefined
  if (!isPlainTable(permissions) || !Array.isArray(given) || given.some(hasQueries)) return []
  return Object.entries(permissions)
    .filter(([, grant]) => isPlainTable(grant) && grant['queries'] === 'named')
    .map(([role]) => ({
      where: `permissions.${role}.queries`,
      problem: 'no extension gives names to queries',
      remedy: 'list one in extensions: namedQueries()',
    }))
}

/** Faults of the database and the definitions are found elsewhere. */
export function faultsOfConfig(
  given: ContentTypesConfig & Partial<ContentRouterConfig>,
  schema: Schema | null,
): Fault[] {
  const config = withDefaults(given)
  const ofOptions = faultsOfOptions(given)
  const core = schema === null || ofOptions.length > 0 ? null : checkedCore(fillOptions(config), schema)
  return [
    ...faultsOfLogger(config.logger),
    ...ofOptions,
    ...faultsOfDefaultOptions(given),
    ...faultsOfExtensions(config, core),
    ...(isRoleSource(config.role) ? config.role.check() : []),
    ...(schema === null ? [] : wrongPermissions(config, schema)),
    ...(schema === null ? [] : faultsOfOptionNames(config, schema)),
    ...faultsOfNamedOnly(config),
  ]
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
  return {
    ...options,
    ...addedQueries(extensions),
    ...{ extensions, schema, logger },
    drafts: isPermissionsSource(options.permissions) ? 'granted' : options.drafts,
    areDraftsOpen: options.drafts === 'open',
    withheld: withheldTypes(schema, extensions, logger),
    needs: requestNeeds(options, schema, typesOfRoutes(extensions)),
    outage: watchOutage(logger),
  }
}

/** Types that an extension does not let the router serve, whatever the permissions grant. */
export const withheldTypes = (
  schema: Schema,
  extensions: readonly Extension[],
  logger: Logger,
): ReadonlySet<Uid> => new Set(extensions.flatMap(({ withholds }) => withholds?.(schema, logger) ?? []))
