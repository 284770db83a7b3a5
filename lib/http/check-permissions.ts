import { grantedTo, readGrantRule, type RuleSettings } from '../access'
import {
  actions,
  type CoreConfig,
  fillOptions,
  isPermissionsSource,
  isRoleSource,
  isTable,
  type Logger,
  type PermissionTable,
  type TypeHeaders,
} from '../config'
import { dialectIn } from '../database'
import { ConfigError, type Fault, faultAt } from '../errors'
import {
  didYouMean,
  faultsOfValues,
  reachableFrom,
  type Model,
  modelNamed,
  type Schema,
  type ValueCheck,
} from '../schema'
import { dialectOf } from '../sql'
import type { Extension, ListReading } from './extension'
import { planSettings } from './limits'
import { listReadings } from './run-extensions'
import { headersOf, varyOf } from './send'

const isText = (value: unknown): boolean => typeof value === 'string' && /^[\x20-\x7e]+$/.test(value)
const isName = (value: unknown): boolean => typeof value === 'string' && /^[\w-]+$/.test(value)

const headerChecks: Readonly<Record<keyof TypeHeaders, ValueCheck>> = {
  cacheControl: { fits: isText, problem: 'the key cacheControl must be a string of directives' },
  vary: {
    fits: (it) => Array.isArray(it) && it.every(isName),
    problem: 'vary must be a list of header names',
  },
  shared: { fits: (value) => typeof value === 'boolean', problem: 'the key shared must be true or false' },
}

/** The role decides the scope, so that a text for all roles cannot name it. */
const namesScope = (value: unknown): boolean =>
  typeof value === 'string' && /(^|[\s,])(public|private)($|[\s,=])/i.test(value)

function faultsOfHeaders(headers: unknown, schema: Schema): Fault[] {
  if (!isTable(headers)) return []
  return Object.entries(headers).flatMap(([type, given]: [string, unknown]): Fault[] => {
    const where = `headers.${type}`
    const unknown = type === '*' ? [] : faultsOfType(where, type, schema)
    if (unknown.length > 0) return unknown
    if (!isTable(given)) return faultAt(where, 'the headers of a type must be an object')
    const faults = faultsOfValues(where, given, headerChecks)
    if (!namesScope(given['cacheControl'])) return faults
    const remedy = 'remove public or private. To send the directive public for all roles, set shared: true'
    const problem = 'cacheControl contains public or private, which the router adds itself'
    return [...faults, ...faultAt(`${where}.cacheControl`, problem, remedy)]
  })
}

/** Misspelt roles would silently have the limits of all. */
function faultsOfRoleNames({ limitsByRole, permissions }: CoreConfig): Fault[] {
  const table: unknown = permissions
  if (!isTable(table) || 'open' in table || !isTable(limitsByRole)) return []
  const roles = Object.keys(table)
  return Object.keys(limitsByRole)
    .filter((role) => !roles.includes(role))
    .flatMap((role) => {
      const problem = `the option permissions does not contain the role ${role}`
      return faultAt(`limitsByRole.${role}`, problem, didYouMean(role, roles))
    })
}

export function faultsOfOptionNames(config: CoreConfig, schema: Schema): Fault[] {
  return [...faultsOfHeaders(config.headers, schema), ...faultsOfRoleNames(config)]
}

const grantMembers: readonly string[] = [...actions, 'queries']

export function faultsOfType(where: string, name: string, schema: Schema): Fault[] {
  if (modelNamed(schema, name) !== undefined) return []
  const models = [...schema.models.values()]
  // The short names are those of the host's own types.
  const names = models.flatMap(({ singularName, uid }) =>
    uid.startsWith('api::') ? [singularName, uid] : [uid],
  )
  const meant = models.find(({ singularName }) => singularName === name)
  const remedy = meant === undefined ? didYouMean(name, names) : `write the full name ${meant.uid}`
  return faultAt(where, `there is no type ${name}`, remedy)
}

function wrongRule(settings: RuleSettings, model: Model, rule: unknown, path: string[]): readonly Fault[] {
  if (typeof rule === 'boolean') return []
  const where = path.join('.')
  const remedy = 'set the grant of the type to true, false or a rule such as { where: { … } }'
  if (!isTable(rule)) return faultAt(where, 'a grant must be true, false or a rule', remedy)
  try {
    readGrantRule(settings, model, rule, path)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
}

function wrongRules(
  settings: RuleSettings,
  rules: Readonly<Record<string, unknown>>,
  path: string[],
): Fault[] {
  const { schema } = settings
  const seen = new Set<Model>()
  return Object.entries(rules).flatMap(([name, rule]): readonly Fault[] => {
    const own = [...path, name]
    const where = own.join('.')
    const model = modelNamed(schema, name)
    if (model === undefined) return faultsOfType(where, name, schema)
    if (seen.has(model)) return faultAt(where, `the type ${model.uid} is granted twice`)
    seen.add(model)
    if (model.kind !== 'component') return wrongRule(settings, model, rule, own)
    // It would hide nothing: a component has no entries of its own.
    const problem = `${model.uid} is a component, but permissions can grant only content types`
    const remedy = 'to hide the component, remove its attribute from the key fields of the rule'
    return faultAt(where, problem, remedy)
  })
}

/** Objects in the grant of a reading are settings of its extension. */
function wrongReading(
  { schema, checkGrant }: { readonly schema: Schema } & ListReading,
  path: string,
  granted: Readonly<Record<string, unknown>>,
): Fault[] {
  return Object.entries(granted).flatMap(([name, grant]) => {
    const where = `${path}.${name}`
    const unknown = faultsOfType(where, name, schema)
    if (unknown.length > 0 || typeof grant === 'boolean') return unknown
    const problem = isTable(grant) ? checkGrant?.(grant) : 'a grant must be true, false or an object'
    return problem === null ? [] : faultAt(where, problem ?? 'a grant must be true or false')
  })
}

function wrongGranted(settings: CheckedGrants, [where, action]: [string, string], listed: unknown): Fault[] {
  const { schema, extensions } = settings
  const readings = listReadings(extensions)
  const reading = readings.find(({ name }) => name === action)
  if (reading !== undefined && isTable(listed)) return wrongReading({ schema, ...reading }, where, listed)
  const known = [...grantMembers, ...readings.map(({ name }) => name)]
  if (!known.includes(action)) {
    const problem = `${action} is not an action, and no extension defines ${action}`
    return faultAt(where, problem, didYouMean(action, known))
  }
  if (action === 'queries' && listed !== 'named')
    return faultAt(where, `queries must be 'named'`, `write queries: 'named', or remove the key queries`)
  // Without such queries the role could read nothing.
  if (action === 'queries' && extensions.every(({ rewriteQuery }) => rewriteQuery === undefined)) {
    const problem = 'the role can send only named queries, but no extension defines named queries'
    return faultAt(where, problem, 'add namedQueries() to the option extensions')
  }
  if (action === 'queries' || listed === '*') return []
  if (isTable(listed)) return wrongRules(settings, listed, where.split('.'))
  if (!Array.isArray(listed))
    return faultAt(where, 'a grant must be a list of types or *', `write ['article'] or '*'`)
  return listed.flatMap((name: unknown) =>
    typeof name === 'string'
      ? faultsOfType(where, name, settings.schema)
      : faultAt(where, 'the list of types contains a value that is not the name of a type'),
  )
}

/** `extensions`: their readings are further keys of a grant. */
type CheckedGrants = RuleSettings & { readonly extensions: readonly Extension[] }

function wrongGrant(settings: CheckedGrants, where: string, grant: unknown): Fault[] {
  if (!isTable(grant))
    return faultAt(where, 'the grants of a role must be an object', `write { find: ['article'] }`)
  return Object.entries(grant).flatMap(([action, listed]) =>
    wrongGranted(settings, [`${where}.${action}`, action], listed),
  )
}

function wrongRulesByRole(settings: RuleSettings, rules: unknown): Fault[] {
  const where = 'permissions.rules'
  if (!isTable(rules)) return faultAt(where, 'the option rules must be an object with a key for each role')
  return Object.entries(rules).flatMap(([role, own]) =>
    isTable(own)
      ? wrongRules(settings, own, [...where.split('.'), role])
      : faultAt(`${where}.${role}`, 'the rules of a role must be an object with a key for each type'),
  )
}

export function checkPermissions(
  config: CoreConfig,
  schema: Schema,
  extensions: readonly Extension[],
): readonly Fault[] {
  const { permissions } = config
  if (permissions === undefined || typeof permissions === 'function') return []
  if (!isTable(permissions)) {
    const remedy = 'set permissions to an object with a key for each role, a function, or fromDatabase()'
    return faultAt('permissions', 'permissions must be an object or a function', remedy)
  }
  const options = fillOptions(config)
  const dialect = dialectIn(config.database)
  const settings = { ...planSettings(options, schema, dialect && dialectOf({ dialect })), extensions }
  if (isPermissionsSource(permissions))
    return [...permissions.check(), ...wrongRulesByRole(settings, permissions.rules)]
  return Object.entries(permissions).flatMap(([role, grant]) => [
    ...wrongGrant(settings, `permissions.${role}`, grant),
    ...(options.drafts === 'open' ? idleRefusals(`permissions.${role}.drafts`, grant) : []),
  ])
}

/** If drafts are open to every role that may find the type, a refusal has no effect. */
function idleRefusals(where: string, grant: unknown): Fault[] {
  const { drafts } = Object(grant) as { readonly drafts?: unknown }
  if (!isTable(drafts)) return []
  const problem = "false has no effect, because drafts: 'open' grants drafts to all roles"
  const refused = Object.entries(drafts).filter(([, granted]) => granted === false)
  return refused.flatMap(([name]) => faultAt(`${where}.${name}`, problem, `set drafts: 'granted'`))
}

type TabledConfig = CoreConfig & { readonly permissions: PermissionTable }

function warnOfNoPermissions({ permissions, role }: TabledConfig, logger: Logger): void {
  const roles = Object.keys(permissions)
  const remedy = `set permissions: { public: { find: ['article'] } }`
  if (roles.length === 0) logger.warn({ remedy }, 'every request gets a 403: the option permissions is empty')
  else if (role === undefined && !Object.hasOwn(permissions, 'public')) {
    logger.warn({ roles, remedy }, 'every request gets a 403: the default role public has no permissions')
  }
}

/** Lists in `findOne` that are older than the rules of `find` are likely forgotten. */
function warnOfWiderEntries({ permissions }: TabledConfig, schema: Schema, logger: Logger): void {
  const models = [...schema.models.values()]
  for (const [role, { findOne }] of Object.entries(permissions)) {
    if (findOne !== '*' && !Array.isArray(findOne)) continue
    const wider = models.filter(
      (model) =>
        typeof grantedTo(permissions, role, model, 'find') === 'object' &&
        grantedTo(permissions, role, model, 'findOne') === true,
    )
    if (wider.length === 0) continue
    const remedy = 'remove findOne to apply the rules of find, or set findOne to true for each type'
    const types = wider.map(({ uid }) => uid)
    logger.warn({ role, types, remedy }, 'findOne grants more entries of a type than find')
  }
}

function warnOfSharedAnswers(
  { permissions, role, headers = {} }: TabledConfig,
  schema: Schema,
  logger: Logger,
): void {
  if (isRoleSource(role)) return
  const isSeenDifferently = (model: Model): boolean => {
    const grants = Object.keys(permissions).map((name) =>
      JSON.stringify(actions.map((action) => grantedTo(permissions, name, model, action))),
    )
    return model.kind !== 'component' && new Set(grants).size > 1
  }
  const types = [...schema.models.values()].filter(
    (model) =>
      model.route !== null &&
      headersOf(headers, model).shared === true &&
      varyOf(headers, schema, model).length === 0 &&
      [...reachableFrom(schema, [model])].some(isSeenDifferently),
  )
  if (types.length === 0) return
  const remedy =
    'add a header that identifies the user, such as Cookie, to the key vary. Or remove the key shared'
  logger.warn(
    { types: types.map(({ uid }) => uid), remedy },
    'a shared cache can send a response for one role to a caller with another role',
  )
}

export function warnOfGrants(config: CoreConfig, schema: Schema, logger: Logger): void {
  const { permissions = {} } = config
  if (typeof permissions === 'function' || isPermissionsSource(permissions)) return
  const tabled = { ...config, permissions }
  warnOfNoPermissions(tabled, logger)
  warnOfWiderEntries(tabled, schema, logger)
  warnOfSharedAnswers(tabled, schema, logger)
}
