import { faultsOfStrapiAuth } from '../access'
import type {
  ContentRouterConfig,
  Logger,
  QueueOptions,
  PermissionsOption,
  RoleFunction,
  RoleLimits,
  StrapiRoles,
  TypeHeaders,
} from '../config'
import { ConfigError, type Fault } from '../errors'
import type { QueryLimits } from '../query'
import { modelNamed, nearest, readSchema, type Schema } from '../schema'
import type { CacheSettings } from '../cache'
import { cacheOf, wrongCache } from './cache-option'
import { wrongHeaders } from './check-headers'
import { isTime, wrongLimit, wrongQueue, wrongRoleLimits } from './check-limits'
import { observed, type Observing, readObserving, wrongObserving } from './observing'

/** A configuration with every default filled in. */
export interface Settings {
  readonly schema: Schema
  readonly role: RoleFunction | StrapiRoles
  readonly permissions: PermissionsOption
  readonly drafts: 'granted' | 'open'
  readonly relations: 'flat' | 'wrapped'
  readonly localizations: 'flat' | 'wrapped'
  readonly unlistedZoneElements: 'stub' | 'omit'
  readonly limits: QueryLimits
  readonly maxDepth: number
  readonly maxNodes: number
  readonly maxInValues: number
  readonly maxEntries: number
  readonly timeout: number
  readonly cache: CacheSettings | null
  readonly etag: boolean
  readonly headers: Readonly<Record<string, TypeHeaders>>
  readonly limitsByRole: Readonly<Record<string, RoleLimits>>
  readonly queue: QueueOptions
  readonly defaultLocale: string | null
  readonly textMatching: 'exact' | 'database'
  readonly consistency: 'snapshot' | 'relaxed'
  readonly strapiArtefacts: boolean
  readonly observing: Observing
  readonly logger: Logger
}

const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}

const choices = {
  drafts: ['granted', 'open'],
  relations: ['flat', 'wrapped'],
  localizations: ['wrapped', 'flat'],
  unlistedZoneElements: ['stub', 'omit'],
  textMatching: ['exact', 'database'],
  consistency: ['snapshot', 'relaxed'],
  strapiArtefacts: [false, true],
  nestedPagination: [false, true],
  etag: [false, true],
} as const

const options = [
  'contentTypes',
  'database',
  'logger',
  'role',
  'permissions',
  'query',
  'pagination',
  'timeout',
  'cache',
  'headers',
  'limitsByRole',
  'queue',
  ...observed,
  'defaultLocale',
  ...Object.keys(choices),
]

const quoted = (values: readonly unknown[]): string =>
  values.map((value) => JSON.stringify(value)).join(' or ')

function unknownOptions(config: object): Fault[] {
  return Object.keys(config)
    .filter((name) => !options.includes(name))
    .map((name) => {
      const near = nearest(name, options)
      const remedy = near === undefined ? `the options are ${options.join(', ')}` : `did you mean ${near}?`
      return { where: name, problem: 'there is no such option', remedy }
    })
}

function wrongChoices(config: ContentRouterConfig): Fault[] {
  return Object.entries(choices).flatMap(([name, allowed]) => {
    const value: unknown = config[name as keyof typeof choices]
    if (value === undefined || (allowed as readonly unknown[]).includes(value)) return []
    return [
      { where: name, problem: `${JSON.stringify(value)} is not a choice`, remedy: `use ${quoted(allowed)}` },
    ]
  })
}

function wrongNumbers(group: 'query' | 'pagination', given: object = {}): Fault[] {
  return Object.entries(given).flatMap(([name, value]: [string, unknown]): Fault[] => {
    const where = `${group}.${name}`
    if (group === 'pagination' && name === 'withCount') {
      return typeof value === 'boolean' ? [] : [{ where, problem: 'is neither true nor false' }]
    }
    return wrongLimit(where, name, value)
  })
}

function unknownGrants(permissions: PermissionsOption | undefined, schema: Schema): Fault[] {
  if (permissions === undefined || typeof permissions === 'function' || 'source' in permissions) return []
  const names = [...schema.models.values()].flatMap(({ singularName, uid }) => [singularName, uid])
  return Object.entries(permissions).flatMap(([role, grant]) =>
    Object.entries(grant).flatMap(([action, listed]: [string, unknown]): Fault[] => {
      const where = `permissions.${role}.${action}`
      if (!['find', 'findOne', 'drafts'].includes(action))
        return [{ where, problem: 'there is no such action' }]
      if (listed === '*') return []
      if (!Array.isArray(listed)) return [{ where, problem: 'is neither a list of types nor *' }]
      return listed
        .map(String)
        .filter((name) => modelNamed(schema, name) === undefined)
        .map((name) => {
          const near = nearest(name, names)
          const remedy = near === undefined ? {} : { remedy: `did you mean ${near}?` }
          return { where, problem: `there is no type ${name}`, ...remedy }
        })
    }),
  )
}

function wrongTimeout(timeout: unknown): Fault[] {
  if (timeout === undefined || isTime(timeout)) return []
  return [{ where: 'timeout', problem: 'is not a number of milliseconds', remedy: 'Infinity: no limit' }]
}

function wrongRole(role: ContentRouterConfig['role']): Fault[] {
  if (role === undefined || typeof role === 'function') return []
  const given: unknown = role
  if (typeof given === 'object' && given !== null && 'source' in given) return faultsOfStrapiAuth(role)
  return [{ where: 'role', problem: 'is no function', remedy: 'use (req) => role, or strapiAuth(…)' }]
}

interface Read {
  readonly schema: Schema | null
  readonly faults: readonly Fault[]
}

function tryReadSchema(config: ContentRouterConfig): Read {
  try {
    return { schema: readSchema(config.contentTypes, config.logger ?? silent), faults: [] }
  } catch (error) {
    if (error instanceof ConfigError) return { schema: null, faults: error.faults }
    throw error
  }
}

function limitsOf({
  query,
  pagination,
  nestedPagination,
  strapiArtefacts,
}: ContentRouterConfig): QueryLimits {
  const page = {
    defaultPageSize: pagination?.defaultPageSize ?? 25,
    maxPageSize: pagination?.maxPageSize ?? 100,
    withCount: pagination?.withCount ?? true,
  }
  return {
    // Every parent would be counted for, so nested pages count only when they are asked to.
    nestedPage: nestedPagination === true ? { ...page, withCount: false } : null,
    arrayLimit: query?.arrayLimit ?? 100,
    maxParameters: query?.maxParameters ?? 1000,
    maxLength: query?.maxLength ?? 50_000,
    page,
    habits: strapiArtefacts === true ? 'strapi' : 'strict',
  }
}

export function readSettings(config: ContentRouterConfig): Settings {
  const { schema, faults } = tryReadSchema(config)
  const all = [
    ...unknownOptions(config),
    ...wrongChoices(config),
    ...wrongRole(config.role),
    ...wrongNumbers('query', config.query),
    ...wrongNumbers('pagination', config.pagination),
    ...wrongTimeout(config.timeout),
    ...wrongCache(config.cache),
    ...wrongRoleLimits(config),
    ...wrongQueue(config.queue),
    ...wrongObserving(config),
    ...faults,
    ...(schema === null ? [] : unknownGrants(config.permissions, schema)),
    ...(schema === null ? [] : wrongHeaders(config.headers, schema)),
  ]
  if (schema === null || all.length > 0) throw new ConfigError(all)
  return {
    schema,
    role: config.role ?? (() => 'public'),
    permissions: config.permissions ?? {},
    drafts: config.drafts ?? 'granted',
    relations: config.relations ?? 'flat',
    localizations: config.localizations ?? 'wrapped',
    unlistedZoneElements: config.unlistedZoneElements ?? 'stub',
    limits: limitsOf(config),
    maxDepth: config.query?.maxDepth ?? Infinity,
    maxNodes: config.query?.maxNodes ?? 2000,
    maxInValues: config.query?.maxInValues ?? 1000,
    maxEntries: config.query?.maxEntries ?? 100_000,
    timeout: config.timeout ?? 10_000,
    cache: cacheOf(config.cache),
    etag: config.etag ?? cacheOf(config.cache) !== null,
    headers: config.headers ?? {},
    limitsByRole: config.limitsByRole ?? {},
    queue: config.queue ?? {},
    defaultLocale: config.defaultLocale ?? null,
    textMatching: config.textMatching ?? 'exact',
    consistency: config.consistency ?? 'snapshot',
    strapiArtefacts: config.strapiArtefacts ?? false,
    observing: readObserving(config),
    logger: config.logger ?? silent,
  }
}
