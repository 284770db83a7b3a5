import { join, resolve } from 'node:path'
import { fromDatabase, strapiAuth } from '../access'
import type { ContentRouterConfig, PaginationOptions } from '../config'
import type { DatabaseOption } from '../database'
import { ConfigError } from '../errors'
import { strapi5 } from '../preset'
import type { Environment } from './dot-env'
import { type ProjectConfig, readProjectConfig } from './project-config'
import { projectDatabase } from './project-database'
import { refuseDenied } from './refuse-denied'
import { isList, isStaticRecord, type StaticValue, unknownValue } from './static-value'

export interface StrapiProjectGiven {
  /** In place of `config/database`. */
  readonly database?: DatabaseOption
  /** What `.env` is read beside, as Strapi does; `process.env` by default. */
  readonly env?: Environment
}

/** What a Strapi project says of itself, without being started. */
export interface StrapiProject {
  /** For `contentRouter`, `migrate` and `seed`: the preset, with what the project says. */
  readonly options: ContentRouterConfig
  /** Where Strapi has its content: `/api`. */
  readonly prefix: string
  /** Who keeps its files: `local`, `aws-s3`. Null where that could not be told. */
  readonly uploadProvider: string | null
  /** What could not be told, by name; ours stands for it. */
  readonly unread: readonly string[]
}

/** Takes down what is not known. */
type Tell = (file: string, path: string) => void

interface ProjectReading {
  readonly config: ProjectConfig
  readonly tell: Tell
}

/** `read` answers undefined where the value is none that Strapi takes. */
function told<T>(
  { config, tell }: ProjectReading,
  [file, path]: readonly [string, string],
  read: (value: StaticValue) => T | undefined,
): T | undefined {
  const value = config.at(file, path)
  const made = value === unknownValue ? undefined : read(value)
  if (made === undefined) tell(file, path)
  return made
}

/** Numbers may be written as texts, as variables of the environment are. */
function numberOf(value: StaticValue): number {
  if (typeof value === 'number') return value
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : NaN
}

const isCount = (value: number): boolean => Number.isInteger(value) && value > 0

const setIf = <N extends string, T>(name: N, value: T | undefined): Partial<Record<N, T>> =>
  value === undefined ? {} : ({ [name]: value } as Record<N, T>)

/** In Strapi there is no largest page where none is configured. */
function maxLimitOf(value: StaticValue): number | undefined {
  const most = numberOf(value)
  if (isCount(most)) return most
  return value === undefined || value === null || most === 0 ? Infinity : undefined
}

function defaultLimitOf(value: StaticValue): number | undefined {
  if (value === undefined) return 25
  const size = numberOf(value)
  return isCount(size) ? size : undefined
}

function paginationOf(reading: ProjectReading): PaginationOptions {
  return {
    ...setIf('defaultPageSize', told(reading, ['api', 'rest.defaultLimit'], defaultLimitOf)),
    ...setIf('maxPageSize', told(reading, ['api', 'rest.maxLimit'], maxLimitOf)),
    ...setIf(
      'withCount',
      told(reading, ['api', 'rest.withCount'], (value) => (value === undefined ? true : Boolean(value))),
    ),
  }
}

/** Of `strapi::query` in `config/middlewares`, a list that may hold anything else. */
function arrayLimitOf({ config, tell }: ProjectReading, index = 0): Pick<ContentRouterConfig, 'query'> {
  const entry = config.at('middlewares', String(index))
  const isQuery = isStaticRecord(entry) && entry.get('name') === 'strapi::query'
  if (entry !== undefined && entry !== unknownValue && !isQuery)
    return arrayLimitOf({ config, tell }, index + 1)
  const limit = entry && config.at('middlewares', `${String(index)}.config.arrayLimit`)
  const arrayLimit = limit === unknownValue ? NaN : numberOf(limit)
  if (isCount(arrayLimit)) return { query: { arrayLimit } }
  if (limit !== undefined) tell('middlewares', 'strapi::query.config.arrayLimit')
  return {}
}

/** As Strapi, which passes over what is no list. Of a list that is known in part, the rest is told. */
function privateAttributesOf(reading: ProjectReading): readonly string[] {
  const place = ['api', 'responses.privateAttributes'] as const
  const names = told(reading, place, (value) => (isList(value) ? value : [])) ?? []
  if (names.includes(unknownValue)) reading.tell(...place)
  return names.filter((name): name is string => typeof name === 'string' && name !== '')
}

function prefixOf(reading: ProjectReading): string {
  const prefix = told(reading, ['api', 'rest.prefix'], (value) => {
    if (value === undefined) return '/api'
    return typeof value === 'string' ? value : undefined
  })
  return `/${(prefix ?? '/api').replace(/^\/+|\/+$/g, '')}`
}

/** Where the configuration says nothing, Strapi looks at the environment. */
function secretOf(
  reading: ProjectReading,
  place: readonly [string, string],
  variable: string,
): string | undefined {
  return told(reading, place, (value) => {
    const secret = value ?? reading.config.env[variable]
    return typeof secret === 'string' && secret !== '' ? secret : undefined
  })
}

function roleOf(reading: ProjectReading): Pick<ContentRouterConfig, 'role'> {
  const jwtSecret = secretOf(reading, ['plugins', 'users-permissions.config.jwtSecret'], 'JWT_SECRET')
  const apiTokenSalt = secretOf(reading, ['admin', 'apiToken.salt'], 'API_TOKEN_SALT')
  if (jwtSecret === undefined || apiTokenSalt === undefined) return {}
  return { role: strapiAuth({ jwtSecret, apiTokenSalt }) }
}

/** A plugin may be switched on or off by a word, and is then as it is by default. */
function providerOf(reading: ProjectReading): string | null {
  if (
    reading.config.at('plugins', 'upload') !== unknownValue &&
    !isStaticRecord(reading.config.at('plugins', 'upload'))
  )
    return 'local'
  const provider = told(reading, ['plugins', 'upload.config.provider'], (value) => {
    if (value === undefined) return 'local'
    return typeof value === 'string' ? value : undefined
  })
  return provider ?? null
}

function readProject(root: string, given: StrapiProjectGiven): StrapiProject {
  const unread: string[] = []
  const config = readProjectConfig(root, given.env ?? process.env)
  const reading = { config, tell: (file: string, path: string) => unread.push(`config/${file}: ${path}`) }
  const database = given.database ?? projectDatabase(config, root)
  const options: ContentRouterConfig = {
    ...strapi5,
    contentTypes: join(root, 'src'),
    database,
    permissions: fromDatabase(),
    pagination: paginationOf(reading),
    ...arrayLimitOf(reading),
    ...setIf('strictParameters', told(reading, ['api', 'rest.strictParams'], Boolean)),
    privateAttributes: privateAttributesOf(reading),
    ...roleOf(reading),
  }
  return { options, prefix: prefixOf(reading), uploadProvider: providerOf(reading), unread }
}

function checkFolder(folder: unknown): void {
  if (typeof folder === 'string' && folder !== '') return
  throw new ConfigError([
    { where: 'strapiProject', problem: 'is given no folder', remedy: "strapiProject('./')" },
  ])
}

/**
 * Reads what a Strapi project says of itself in its folders, `config` and `.env`. Nothing of it is run: what only running
 * it would tell is named in `unread`. Refused is a database that cannot be told.
 */
export function strapiProject(folder: string, given: StrapiProjectGiven = {}): StrapiProject {
  checkFolder(folder)
  const root = resolve(folder)
  return refuseDenied(root, () => readProject(root, given))
}
