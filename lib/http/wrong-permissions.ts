import { isPromise, readGrantRule, type RuleSettings } from '../access'
import { dialectOf } from '../sql'
import {
  fillOptions,
  isPermissionsSource,
  type CoreConfig,
  type PermissionsSource,
  type TypeHeaders,
} from '../config'
import { dialectIn } from '../database'
import { ConfigError, type Fault } from '../errors'
import { didYouMean, type Model, modelNamed, type Schema } from '../schema'
import { ruleSettings } from './rule-settings'

const isText = (value: unknown): boolean => typeof value === 'string' && /^[\x20-\x7e]+$/.test(value)
const isName = (value: unknown): boolean => typeof value === 'string' && /^[\w-]+$/.test(value)

const headerChecks: Readonly<
  Record<keyof TypeHeaders, { readonly fits: (value: unknown) => boolean; readonly problem: string }>
> = {
  cacheControl: { fits: isText, problem: 'is no text of directives' },
  vary: {
    fits: (value) => Array.isArray(value) && value.every(isName),
    problem: 'is no list of names of headers',
  },
  shared: { fits: (value) => typeof value === 'boolean', problem: 'is neither true nor false' },
}

/** Who may keep an answer depends on the role, so that a text for all roles cannot say it. */
const namesScope = (value: unknown): boolean =>
  typeof value === 'string' && /(^|[\s,])(public|private)($|[\s,=])/i.test(value)

function faultsOfHeader(where: string, name: string, value: unknown): Fault[] {
  if (!Object.hasOwn(headerChecks, name)) {
    const remedy = didYouMean(name, Object.keys(headerChecks))
    return [{ where, problem: 'there is no such option', remedy }]
  }
  if (name === 'cacheControl' && namesScope(value)) {
    const remedy = 'leave it to the role; shared: true makes the answers to all roles public'
    return [{ where, problem: 'says public or private', remedy }]
  }
  const { fits, problem } = headerChecks[name as keyof TypeHeaders]
  return fits(value) ? [] : [{ where, problem }]
}

function faultsOfHeaders(headers: unknown, schema: Schema): Fault[] {
  if (!isPlainTable(headers)) return []
  return Object.entries(headers).flatMap(([type, given]: [string, unknown]): Fault[] => {
    const where = `headers.${type}`
    const unknown = type === '*' ? [] : faultsOfType(where, type, schema)
    if (unknown.length > 0) return unknown
    if (!isPlainTable(given)) return [{ where, problem: 'is no table of headers' }]
    return Object.entries(given).flatMap(([name, value]: [string, unknown]) =>
      faultsOfHeader(`${where}.${name}`, name, value),
    )
  })
}

/** Misspelt roles would silently have the limits of all. */
function faultsOfRoleNames({ limitsByRole, permissions }: CoreConfig): Fault[] {
  const table: unknown = permissions
  if (!isPlainTable(table) || 'open' in table || !isPlainTable(limitsByRole)) return []
  const roles = Object.keys(table)
  return Object.keys(limitsByRole)
    .filter((role) => !roles.includes(role))
    .map((role) => ({
      where: `limitsByRole.${role}`,
      problem: 'the permissions know no such role',
      remedy: didYouMean(role, roles),
    }))
}

export function faultsOfOptionNames(config: CoreConfig, schema: Schema): Fault[] {
  return [...faultsOfHeaders(config.headers, schema), ...faultsOfRoleNames(config)]
}

const actions = ['find', 'findOne', 'drafts', 'queries']

/** Neither a list nor anything else that is made of more than its own members, as promises and maps are. */
export const isPlainTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !(Symbol.iterator in value || isPromise(value))

export function faultsOfType(where: string, name: string, schema: Schema): Fault[] {
  if (modelNamed(schema, name) !== undefined) return []
  const models = [...schema.models.values()]
  // The short names are those of the host's own types.
  const names = models.flatMap(({ singularName, uid }) =>
    uid.startsWith('api::') ? [singularName, uid] : [uid],
  )
  const meant = models.find(({ singularName }) => singularName === name)
  const remedy = meant === undefined ? didYouMean(name, names) : `use ${meant.uid}`
  return [{ where, problem: `there is no type ${name}`, remedy }]
}

function wrongRule(settings: RuleSettings, model: Model, rule: unknown, path: string[]): Fault[] {
  if (typeof rule === 'boolean') return []
  if (!isPlainTable(rule))
    return [
      {
        where: path.join('.'),
        problem: 'is neither true, false nor a rule',
        remedy: 'use true, or { where: { … } }',
      },
    ]
  try {
    readGrantRule(settings, model, rule, path)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return [...error.faults]
    throw error
  }
}

/** It would hide nothing: a component has no entries of its own. */
const wrongComponent = (path: readonly string[], { uid }: Model): Fault => ({
  where: path.join('.'),
  problem: `${uid} is a component, which is shown with whatever holds it`,
  remedy: 'leave the attribute that holds it out of the fields of that type',
})

function wrongRules(
  settings: RuleSettings,
  rules: Readonly<Record<string, unknown>>,
  path: string[],
): Fault[] {
  const { schema } = settings
  const seen = new Set<Model>()
  return Object.entries(rules).flatMap(([name, rule]) => {
    const own = [...path, name]
    const model = modelNamed(schema, name)
    if (model === undefined) return faultsOfType(own.join('.'), name, schema)
    if (seen.has(model)) return [{ where: own.join('.'), problem: `${model.uid} is granted already` }]
    seen.add(model)
    if (model.kind === 'component') return [wrongComponent(own, model)]
    return wrongRule(settings, model, rule, own)
  })
}

function wrongGranted(settings: RuleSettings, [where, action]: [string, string], listed: unknown): Fault[] {
  const { schema } = settings
  if (!actions.includes(action))
    return [{ where, problem: 'there is no such action', remedy: didYouMean(action, actions) }]
  if (action === 'queries')
    return listed === 'named'
      ? []
      : [{ where, problem: `is not 'named'`, remedy: `use 'named' or leave it out` }]
  if (listed === '*') return []
  if (isPlainTable(listed)) return wrongRules(settings, listed, where.split('.'))
  if (!Array.isArray(listed)) {
    return [{ where, problem: 'is neither a list of types nor *', remedy: `use ['article'] or '*'` }]
  }
  return listed.flatMap((name: unknown) =>
    typeof name === 'string'
      ? faultsOfType(where, name, schema)
      : [{ where, problem: 'holds something that is no name of a type' }],
  )
}

function wrongGrant(settings: RuleSettings, role: string, grant: unknown): Fault[] {
  const where = `permissions.${role}`
  if (!isPlainTable(grant)) return [{ where, problem: 'is no grant', remedy: `use { find: ['article'] }` }]
  return Object.entries(grant).flatMap(([action, listed]) =>
    wrongGranted(settings, [`${where}.${action}`, action], listed),
  )
}

function wrongSource(settings: RuleSettings, source: PermissionsSource): readonly Fault[] {
  const rules: unknown = source.rules
  if (!isPlainTable(rules))
    return [...source.check(), { where: 'permissions.rules', problem: 'is no table by role' }]
  const wrong = Object.entries(rules).flatMap(([role, own]): Fault[] => {
    const path = ['permissions', 'rules', role]
    return isPlainTable(own)
      ? wrongRules(settings, own, path)
      : [{ where: path.join('.'), problem: 'is no table by type' }]
  })
  return [...source.check(), ...wrong]
}

export function wrongPermissions(config: CoreConfig, schema: Schema): readonly Fault[] {
  const { permissions = {} } = config
  const given: unknown = config.permissions
  if (given === undefined || typeof given === 'function') return []
  if (!isPlainTable(given)) {
    const remedy = 'use a table by role, a function, or fromDatabase()'
    return [{ where: 'permissions', problem: 'is neither a table nor a function', remedy }]
  }
  const options = fillOptions(config)
  const dialect = dialectIn(config.database)
  const settings = ruleSettings(options, schema, dialect && dialectOf({ dialect }))
  if (isPermissionsSource(permissions)) return wrongSource(settings, permissions)
  return Object.entries(given).flatMap(([role, grant]) => [
    ...wrongGrant(settings, role, grant),
    ...(options.drafts === 'open' ? idleRefusals(`permissions.${role}.drafts`, grant) : []),
  ])
}

/** Where whoever may find a type sees its drafts, not to grant them says nothing. */
function idleRefusals(where: string, grant: unknown): Fault[] {
  const { drafts } = Object(grant) as { readonly drafts?: unknown }
  if (!isPlainTable(drafts)) return []
  return Object.entries(drafts)
    .filter(([, granted]) => granted === false)
    .map(([name]) => ({
      where: `${where}.${name}`,
      problem: 'says nothing, as drafts are open to whoever may find their type',
      remedy: `drafts: 'granted'`,
    }))
}
