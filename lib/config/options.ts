import { isDeepStrictEqual } from 'node:util'
import { ConfigError, type Fault, faultAt } from '../errors'
import { type CustomFieldsOption, didYouMean } from '../schema'
import {
  custom,
  type Filled,
  flag,
  type GivenOptions,
  isListOfTexts,
  isObject,
  isTable,
  type Option,
  type Options,
  type OptionTable,
  type OptionValues,
} from './option'
import { optionTable } from './option-table'
import type { Logger } from './permissions-option'

/** Options that only extensions set. */
const internalOptions = {
  /** Storage types of custom fields, if neither the database nor the list of plugins has them. */
  customFields: custom<CustomFieldsOption>(
    {},
    isTable,
    'customFields must be an object with a storage type for each custom field',
  ),
  /** Attributes that are private in every type and component. */
  privateAttributes: custom<readonly string[]>([], isListOfTexts, 'privateAttributes must list names'),
  /** The locales of the database are a type, which routes of an extension may serve. */
  localeType: flag(false),
  /** `Strapi-Response-Format: v4` selects the older form of responses, with ids in place of document ids. */
  olderFormat: flag(false),
  /** Keeps what Strapi's way of loading leaves in its responses; docs/concepts/differences-from-strapi.md lists it. */
  loadingArtefacts: flag(false, { changesBodies: true }),
} as const

export type OptionDefaults = GivenOptions<typeof optionTable> & GivenOptions<typeof internalOptions>

export interface DefaultingExtension {
  readonly name: string
  /** Contains defaults of core options. Options of the host application override the defaults. */
  readonly defaults?: OptionDefaults
}

interface ExtendedConfig {
  readonly extensions?: readonly DefaultingExtension[]
}

const table = { ...optionTable, ...internalOptions } as const

export type FilledOptions = Filled<typeof table>

const entryOf = (options: OptionTable, name: string): OptionTable[string] | undefined =>
  Object.hasOwn(options, name) ? options[name] : undefined

/** Groups are merged option by option: `query.maxDepth`. */
function mergeOptions(base: OptionValues, over: OptionValues): OptionValues {
  const merged = Object.entries(over).flatMap(([name, value]): [string, unknown][] => {
    if (value === undefined) return []
    const given = base[name]
    const both = entryOf(optionTable, name)?.kind === 'group' && isTable(given) && isTable(value)
    return [[name, both ? { ...given, ...value } : value]]
  })
  return { ...base, ...Object.fromEntries(merged) }
}

/** Other values are reported elsewhere. */
const extensionsIn = ({ extensions }: ExtendedConfig): readonly DefaultingExtension[] =>
  Array.isArray(extensions) ? (extensions as readonly DefaultingExtension[]).filter(isTable) : []

export function withDefaults<C extends ExtendedConfig>(config: C): C & OptionDefaults {
  const defaults = extensionsIn(config).map((extension): OptionValues => ({ ...extension.defaults }))
  return [...defaults, config as OptionValues].reduce(mergeOptions) as C & OptionDefaults
}

const fill = (options: OptionTable, given: OptionValues): OptionValues =>
  Object.fromEntries(
    Object.entries(options).map(([name, entry]) => {
      const value = given[name]
      if (entry.kind === 'option') return [name, value ?? entry.default]
      if (entry.canBeOff && (value === undefined || value === false)) return [name, null]
      return [name, fill(entry.options, (value ?? {}) as OptionValues)]
    }),
  )

/** The host's value, else an extension's, else the default. */
export const fillOptions = (given: OptionDefaults & ExtendedConfig): FilledOptions =>
  fill(table, withDefaults(given) as OptionValues) as unknown as FilledOptions

const single = Object.entries<OptionTable[string]>(table).flatMap(
  ([name, entry]): (readonly [string, Option<unknown>])[] =>
    entry.kind === 'option'
      ? [[name, entry]]
      : Object.entries(entry.options).map(([own, option]) => [`${name}.${own}`, option]),
)

const lastName = (dotted: string): string => dotted.slice(dotted.lastIndexOf('.') + 1)

export const limitOptions: Options = Object.fromEntries(
  single.filter(([, { isPerRole }]) => isPerRole).map(([name, option]) => [lastName(name), option]),
)

/** Options that change bodies, as part of the cache key. */
export function bodyChanging(options: FilledOptions): OptionValues {
  const at = (dotted: string): unknown =>
    dotted.split('.').reduce((value: unknown, name) => (value as OptionValues)[name], options)
  const changing = single.filter(([, { changesBodies }]) => changesBodies)
  return Object.fromEntries(changing.map(([name]) => [name, at(name)]))
}

/** Contradictory defaults of two extensions are faults, unless the host sets the option. */
export function faultsOfDefaultOptions(config: ExtendedConfig): Fault[] {
  const given = extensionsIn(config).flatMap(({ name: by, defaults = {} }) =>
    Object.entries(defaults).map(([name, value]) => ({ by, name, value })),
  )
  return given.flatMap(({ by, name, value }, index) => {
    const other = given.slice(0, index).find((one) => one.name === name && one.by !== by)
    const isDecided = (config as OptionValues)[name] !== undefined
    if (other === undefined || isDecided || isDeepStrictEqual(other.value, value)) return []
    const problem = `the extensions ${other.by} and ${by} set different defaults for the option ${name}`
    return faultAt('extensions', problem, `set the option ${name} in your config`)
  })
}

const methods = ['debug', 'info', 'warn', 'error'] as const

const missingOf = (logger: unknown): readonly string[] =>
  methods.filter((method) => !isObject(logger) || typeof Reflect.get(logger, method) !== 'function')

/** A missing method would fail in the middle of a request. */
export function faultsOfLogger(logger: unknown): Fault[] {
  const missing = logger === undefined || logger === false ? [] : missingOf(logger)
  if (missing.length === 0) return []
  const problem = `the logger must have the methods ${missing.join(', ')}`
  const remedy = 'use console or a pino logger, or set logger: false to turn off the log'
  return faultAt('logger', problem, remedy)
}

export const loggerOf = (logger: Logger | false | undefined): Logger | undefined =>
  logger === false || missingOf(logger).length > 0 ? undefined : logger

export function problemOfNoObject(value: unknown): string {
  if (Array.isArray(value)) return 'the value is a list'
  return `the value is ${value === null || value === undefined ? String(value) : `a ${typeof value}`}`
}

/** All other checks expect an object. */
export function checkConfigObject(config: unknown): void {
  if (isTable(config)) return
  const remedy = `pass { contentTypes: './content-types', database: { client, connection } }`
  throw new ConfigError(faultAt('config', problemOfNoObject(config), remedy))
}

/** The right place of a misplaced option: `pageSize` is `pagination.defaultPageSize`. */
function rightPlace(name: string): string | undefined {
  const word = lastName(name)
  const [first = '', ...others] = word
  const inCapital = first.toUpperCase() + others.join('')
  for (const option of [word, `default${inCapital}`, `max${inCapital}`])
    for (const [group, entry] of Object.entries(optionTable))
      if (entry.kind === 'group' && Object.hasOwn(entry.options, option))
        return `write ${group}: { ${option} }`
  return Object.hasOwn(optionTable, word) && word !== name ? `move ${word} to the top level` : undefined
}

/** Options that are checked elsewhere. */
const beside = ['contentTypes', 'database', 'logger', 'extensions']

function unknownOption(where: string, options: OptionTable): Fault[] {
  const name = lastName(where)
  const isOfRole = options === limitOptions
  if (isOfRole && Object.hasOwn(optionTable.pagination.options, name))
    return faultAt(where, `limitsByRole cannot contain the option ${name}`)
  const known = [...(options === optionTable ? beside : []), ...Object.keys(options)]
  const remedy = (isOfRole ? undefined : rightPlace(where)) ?? didYouMean(name, known)
  return faultAt(where, `the option ${name} does not exist`, remedy)
}

function faultsAmong(options: OptionTable, given: object, before = ''): Fault[] {
  return Object.entries(given).flatMap(([name, value]: [string, unknown]): Fault[] => {
    const where = before + name
    const entry = entryOf(options, name)
    if (value === undefined) return []
    if (entry === undefined) return unknownOption(where, options)
    if (entry.kind === 'option')
      return entry.fits(value) ? [] : faultAt(where, entry.problem(value), entry.remedy)
    if (entry.canBeOff && value === false) return []
    if (isTable(value)) return faultsAmong(entry.options, value, `${name}.`)
    return faultAt(where, entry.problem, entry.remedy)
  })
}

function faultsOfRoles(limitsByRole: unknown): Fault[] {
  if (!isTable(limitsByRole)) return []
  return Object.entries(limitsByRole).flatMap(([role, limits]) => {
    const where = `limitsByRole.${role}`
    return isTable(limits)
      ? faultsAmong(limitOptions, limits, `${where}.`)
      : faultAt(where, 'the limits of a role must be an object')
  })
}

/** The page size would silently be the maximum. */
function faultsOfPageSizes(pagination: unknown): Fault[] {
  const { defaultPageSize, maxPageSize = 100 } = Object(pagination) as Readonly<Record<string, unknown>>
  if (!(Number(defaultPageSize) > Number(maxPageSize))) return []
  const problem = `the default page size is higher than pagination.maxPageSize, which is ${String(maxPageSize)}`
  return faultAt('pagination.defaultPageSize', problem, 'increase pagination.maxPageSize')
}

export function faultsOfOptions(
  config: object & Readonly<Partial<Record<'limitsByRole' | 'pagination', unknown>>>,
): Fault[] {
  const { limitsByRole, pagination } = config
  const own = Object.entries(config).filter(([option]) => !beside.includes(option))
  const faults = faultsAmong(optionTable, Object.fromEntries(own))
  return [...faults, ...faultsOfRoles(limitsByRole), ...faultsOfPageSizes(pagination)]
}

export const faultsOfDefaults = (where: string, { defaults = {} }: DefaultingExtension): Fault[] =>
  faultsOfOptions(
    Object.fromEntries(Object.entries(defaults).filter(([name]) => !Object.hasOwn(internalOptions, name))),
  ).map((fault) => ({ ...fault, where: `${where}.defaults.${fault.where}` }))
