import { join, resolve } from 'node:path'
import type { CoreConfig, PaginationOptions } from '../../lib/config'
import type { DatabaseOption } from '../../lib/database'
import { ConfigError } from '../../lib/errors'
import type { ContentRouterConfig } from '../../lib/http'
import {
  type Environment,
  isConfigObject,
  loadConfig,
  type ProjectConfig,
  projectEnvironment,
  withEnvironment,
} from './load-config'
import { fromDatabase } from './from-database'
import { projectDatabase } from './project-database'
import { strapiAuth } from './strapi-auth'
import { strapi5, type Strapi5Options } from './strapi5'

/** Contains the options of `strapiProject`. */
export interface StrapiProjectGiven extends Strapi5Options {
  /** Replaces the database of `config/database`. */
  readonly database?: DatabaseOption
  /** Contains environment variables that override the variables of `.env`, by default `process.env`. */
  readonly env?: Environment
}

/** Contains the settings of a Strapi project. */
export interface StrapiProject {
  /** Contains options for `contentRouter`, `migrate` and `seed`, with the preset and the settings of the project. */
  readonly options: ContentRouterConfig
  /** Contains the path of Strapi's content API: `/api`. */
  readonly prefix: string
  /** Names the upload provider, such as `local` or `aws-s3`. If the provider is unknown, `uploadProvider` is null. */
  readonly uploadProvider: string | null
  /** Lists unreadable files and settings. For unreadable settings, the router uses defaults. */
  readonly unread: readonly string[]
}

interface ConfigReading {
  readonly config: ProjectConfig
  readonly unread: Set<string>
}

/** `read` returns undefined for a value that Strapi rejects. */
function settingOf<T>(
  { config, unread }: ConfigReading,
  [file, path]: readonly [string, string],
  read: (value: unknown) => T | undefined,
): T | undefined {
  const fault = config.faultOf(file)
  const made = fault === undefined ? read(config.at(file, path)) : undefined
  if (made === undefined) unread.add(fault?.message ?? `config/${file}: ${path}`)
  return made
}

const setIf = <N extends string, T>(name: N, value: T | undefined): Partial<Record<N, T>> =>
  value === undefined ? {} : ({ [name]: value } as Record<N, T>)

/** Environment variables are strings. */
const numberOf = (value: unknown): number =>
  typeof value === 'number' || (typeof value === 'string' && value.trim() !== '') ? Number(value) : NaN

function countOf(value: unknown): number | undefined {
  const count = numberOf(value)
  return Number.isInteger(count) && count > 0 ? count : undefined
}

/** Strapi has no maximum page size unless one is configured. */
const maxLimitOf = (value: unknown): number | undefined =>
  countOf(value) ?? (value === undefined || value === null || numberOf(value) === 0 ? Infinity : undefined)

function paginationOf(reading: ConfigReading): PaginationOptions {
  const at = (name: string) => ['api', `rest.${name}`] as const
  const defaultPageSize = settingOf(reading, at('defaultLimit'), (value) => countOf(value ?? 25))
  const maxPageSize = settingOf(reading, at('maxLimit'), maxLimitOf)
  return {
    // Strapi reduces the default to the maximum; for the router it is a fault.
    ...setIf('defaultPageSize', defaultPageSize && Math.min(defaultPageSize, maxPageSize ?? 100)),
    ...setIf('maxPageSize', maxPageSize),
    ...setIf(
      'withCount',
      settingOf(reading, at('withCount'), (value) => Boolean(value ?? true)),
    ),
  }
}

/** Strapi ignores a value that is not a list. */
function namesIn(value: unknown): readonly string[] | undefined {
  const all: readonly unknown[] = Array.isArray(value) ? value : []
  const isKnown = typeof value !== 'function' && all.every((name) => typeof name !== 'function')
  return isKnown ? all.filter((name): name is string => typeof name === 'string' && name !== '') : undefined
}

/** The list may hold anything else. */
function arrayLimitOf(reading: ConfigReading): Pick<CoreConfig, 'query'> {
  const all = settingOf(reading, ['middlewares', ''], (value) => value ?? [])
  const entries: readonly unknown[] = Array.isArray(all) ? all : []
  const config = entries.filter(isConfigObject).find(({ name }) => name === 'strapi::query')?.['config']
  const limit = isConfigObject(config) ? config['arrayLimit'] : undefined
  const arrayLimit = countOf(limit)
  if (arrayLimit !== undefined) return { query: { arrayLimit } }
  if (limit !== undefined) reading.unread.add('config/middlewares: strapi::query.config.arrayLimit')
  return {}
}

function roleOf(reading: ConfigReading): Pick<CoreConfig, 'role'> {
  const secretOf = (place: readonly [string, string], variable: string): string | undefined =>
    settingOf(reading, place, (value) => {
      const secret = value ?? reading.config.env[variable]
      return typeof secret === 'string' && secret !== '' ? secret : undefined
    })
  const jwtSecret = secretOf(['plugins', 'users-permissions.config.jwtSecret'], 'JWT_SECRET')
  const apiTokenSalt = secretOf(['admin', 'apiToken.salt'], 'API_TOKEN_SALT')
  return jwtSecret === undefined || apiTokenSalt === undefined
    ? {}
    : { role: strapiAuth({ jwtSecret, apiTokenSalt }) }
}

const stringOr =
  (byDefault: string) =>
  (value: unknown): string | undefined =>
    value === undefined ? byDefault : typeof value === 'string' ? value : undefined

function readProject(
  root: string,
  env: Environment,
  { database, ...preset }: Omit<StrapiProjectGiven, 'env'>,
): StrapiProject {
  const config = loadConfig(root, env)
  const unread = new Set<string>()
  const reading = { config, unread }
  const prefix = settingOf(reading, ['api', 'rest.prefix'], stringOr('/api')) ?? '/api'
  const privateAttributes = settingOf(reading, ['api', 'responses.privateAttributes'], namesIn)
  const options: ContentRouterConfig = {
    extensions: [strapi5({ ...setIf('privateAttributes', privateAttributes), ...preset })],
    contentTypes: join(root, 'src'),
    database: database ?? projectDatabase(config, root),
    permissions: fromDatabase(),
    pagination: paginationOf(reading),
    ...setIf('strictParameters', settingOf(reading, ['api', 'rest.strictParams'], Boolean)),
    ...arrayLimitOf(reading),
    ...roleOf(reading),
  }
  const uploadProvider = settingOf(reading, ['plugins', 'upload.config.provider'], stringOr('local')) ?? null
  return { options, prefix: `/${prefix.replace(/^\/+|\/+$/g, '')}`, uploadProvider, unread: [...unread] }
}

/**
 * Loads the configuration of a Strapi project from `config` and `.env`. The files of `config` run in this process. The
 * key `unread` lists files and settings that cannot be loaded. Throws an error if the database is unknown.
 */
export function strapiProject(folder: string, given: StrapiProjectGiven = {}): StrapiProject {
  if (typeof folder !== 'string' || folder === '')
    throw new ConfigError([
      {
        where: 'strapiProject',
        problem: 'strapiProject requires a folder',
        remedy: `write strapiProject('./')`,
      },
    ])
  const root = resolve(folder)
  const { env: variables = process.env, ...own } = given
  const env = projectEnvironment(root, variables)
  return withEnvironment(env, () => readProject(root, env, own))
}
