import { type Fault, ConfigError } from '../errors'
import { didYouMean } from '../schema'
import { isGroup, isTable, type Option, type Options } from './option'

import { type DefaultingExtension, internalOptions, limitOptions } from './fill-options'
import { optionTable } from './option-table'
import type { Logger } from './permissions-option'

const methods = ['debug', 'info', 'warn', 'error'] as const

const missingOf = (logger: unknown): readonly string[] =>
  methods.filter(
    (method) =>
      typeof logger !== 'object' || logger === null || typeof Reflect.get(logger, method) !== 'function',
  )

/** A missing method would fail in the middle of a request. */
export function faultsOfLogger(logger: unknown): Fault[] {
  const missing = logger === undefined || logger === false ? [] : missingOf(logger)
  if (missing.length === 0) return []
  const problem = `is no logger: it has no ${missing.join(', no ')}`
  const remedy = 'as console and pino have; false: nothing is told'
  return [{ where: 'logger', problem, remedy }]
}

export const loggerOf = (logger: Logger | false | undefined): Logger | undefined =>
  logger === false || logger === undefined || missingOf(logger).length > 0 ? undefined : logger

export function problemOfNoObject(value: unknown): string {
  if (Array.isArray(value)) return 'is a list'
  return value === null || value === undefined ? `is ${String(value)}` : `is no object, but ${typeof value}`
}

/** All other checks expect an object. */
export function checkConfigObject(config: unknown): void {
  if (isTable(config)) return
  const remedy = "{ contentTypes: './content-types', database: { client, connection } }"
  throw new ConfigError([{ where: 'config', problem: problemOfNoObject(config), remedy }])
}

const beside = ['contentTypes', 'database', 'logger', 'extensions']

const ofQueries = ', of express-content-router/queries'

/** Options that became extensions, with their new form. */
const extended = new Map([
  ...['strapiRoutes', 'strapiArtefacts'].map(
    (name) => [name, 'extensions: [strapi5()], of express-content-router/strapi'] as const,
  ),
  // A host that spreads the function as the former preset gets its member of this name.
  ['strapi5', 'extensions: [strapi5()], of express-content-router/strapi, in place of ...strapi5'],
  ['projectCode', 'extensions: [strapi5({ serve })], of express-content-router/strapi'],
  ['customFields', 'extensions: [strapi5({ customFields })], of express-content-router/strapi'],
  ...['onRequest', 'onStatement', 'serverTiming', 'explain', 'tracing'].map(
    (name) => [name, `extensions: [observe({ ${name} })], of express-content-router/observe`] as const,
  ),
  ['openapi', 'extensions: [openapi()], of express-content-router/openapi'],
  ['index', 'extensions: [openapi()], of express-content-router/openapi'],
  ['queries', `extensions: [namedQueries({ … })]${ofQueries}`],
  ['defaults', `extensions: [defaultQueries({ … })]${ofQueries}`],
  ['query.from', `extensions: [queryFrom((req) => …)]${ofQueries}`],
  ['fileUrl', 'extensions: [fileUrls((file) => url)], of express-content-router/files'],
  ['cache.feed', 'extensions: [changes({ feed: true })], of express-content-router/changes'],
  ['onChange', 'extensions: [changes({ feed: true, onChange })], of express-content-router/changes'],
  ['cacheTags', 'extensions: [changes({ cacheTags: true })], of express-content-router/changes'],
  ['changes', 'extensions: [changes({ feed: true, stream: true })], of express-content-router/changes'],
])

/** Removed options, with a replacement. */
const removed = new Map([
  ['maxLag', 'let a balancer leave out servers that are behind'],
  ['consistency', 'remove it: each response shows one state of the database'],
  ['preparedStatements', 'remove it: poolers that do not keep prepared statements are detected'],
  ['definitions', 'remove it: definitions are read as Strapi reads them'],
  ['query.maxCost', 'use query.maxLinks and query.maxConditions'],
])

/** Null for options that never existed. */
function faultsOfFormer(where: string, value: unknown): Fault[] | null {
  if (value === undefined) return []
  const instead = removed.get(where)
  if (instead !== undefined) return [{ where, problem: 'is no option any more', remedy: instead }]
  const extension = extended.get(where)
  if (extension === undefined) return null
  const remedy = value === false ? 'remove it: an extension is off until it is listed' : extension
  return [{ where, problem: 'is now an extension', remedy }]
}

function faultOf(where: string, option: Option<unknown>, value: unknown): Fault[] {
  if (value === undefined || option.fits(value)) return []
  const { problem, remedy } = option
  return [{ where, problem: problem(value), ...(remedy === undefined ? {} : { remedy }) }]
}

/** Options of all roles, which cannot be set for one. */
const isLimitOfAll = (name: string): boolean => Object.hasOwn(optionTable.pagination.options, name)

/** The right place of a misplaced option: `pageSize` is `pagination.defaultPageSize`. */
function rightPlace(name: string): string | undefined {
  const word = name.slice(name.lastIndexOf('.') + 1)
  const [first = '', ...others] = word
  const inCapital = first.toUpperCase() + others.join('')
  for (const option of [word, `default${inCapital}`, `max${inCapital}`])
    for (const [group, entry] of Object.entries(optionTable))
      if (isGroup(entry) && Object.hasOwn(entry.options, option)) return `write ${group}: { ${option} }`
  return Object.hasOwn(optionTable, word) && word !== name ? `write ${word} at the top level` : undefined
}

function faultsAmong(where: string, options: Options, given: object): Fault[] {
  return Object.entries(given).flatMap(([name, value]: [string, unknown]): Fault[] => {
    const option = Object.hasOwn(options, name) ? options[name] : undefined
    const at = where === '' ? name : `${where}.${name}`
    if (option !== undefined) return faultOf(at, option, value)
    if (options === limitOptions && isLimitOfAll(name))
      return [{ where: at, problem: 'is no limit of a role' }]
    const former = faultsOfFormer(at, value)
    if (former !== null) return former
    const place = options === limitOptions ? undefined : rightPlace(at)
    const remedy = place ?? didYouMean(name, Object.keys(options))
    return [{ where: at, problem: 'there is no such option', remedy }]
  })
}

function faultsAt(name: string, value: unknown): Fault[] {
  const entry = Object.hasOwn(optionTable, name) ? optionTable[name as keyof typeof optionTable] : undefined
  if (entry === undefined) {
    const former = faultsOfFormer(name, value)
    if (former !== null) return former
    const remedy = rightPlace(name) ?? didYouMean(name, [...beside, ...Object.keys(optionTable)])
    return [{ where: name, problem: 'there is no such option', remedy }]
  }
  if (!isGroup(entry)) return faultOf(name, entry, value)
  if (value === undefined || (entry.canBeOff && value === false)) return []
  if (isTable(value)) return faultsAmong(name, entry.options, value)
  if (name === 'query' && typeof value === 'function') return faultsOfFormer('query.from', value) ?? []
  const { problem, remedy } = entry
  return [{ where: name, problem, ...(remedy === undefined ? {} : { remedy }) }]
}

function faultsOfRoles(limitsByRole: unknown): Fault[] {
  if (!isTable(limitsByRole)) return []
  return Object.entries(limitsByRole).flatMap(([role, limits]: [string, unknown]) => {
    const where = `limitsByRole.${role}`
    return isTable(limits)
      ? faultsAmong(where, limitOptions, limits)
      : [{ where, problem: 'is no table of limits' }]
  })
}

export function faultsOfOptions(
  config: object & { readonly limitsByRole?: unknown; readonly name?: unknown },
): Fault[] {
  const { name } = config
  // An extension that is spread into the options, as former presets were, would lose its hooks.
  if (typeof name === 'string')
    return [{ where: name, problem: 'is an extension, not options', remedy: `write extensions: [${name}()]` }]
  const own = Object.entries(config).filter(([name]) => !beside.includes(name))
  return [
    ...own.flatMap(([name, value]: [string, unknown]) => faultsAt(name, value)),
    ...faultsOfRoles(config.limitsByRole),
  ]
}

export const faultsOfDefaults = (where: string, { defaults = {} }: DefaultingExtension): Fault[] =>
  faultsOfOptions(
    Object.fromEntries(Object.entries(defaults).filter(([name]) => !Object.hasOwn(internalOptions, name))),
  ).map((fault) => ({ ...fault, where: `${where}.defaults.${fault.where}` }))
