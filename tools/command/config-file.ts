import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  type Extension,
  type ContentRouterConfig,
  type Audience,
  type RoleTypes,
  typesForRole,
  faultsOfConfig,
} from '../../lib/http'
import {
  type ContentTypesConfig,
  isPermissionsSource,
  type PermissionTable,
  readTypes,
} from '../../lib/config'
import { ConfigError } from '../../lib/errors'
import type { Schema } from '../../lib/schema'
import type { Source } from './arguments'
import { misuse, type Misuse } from './parse-words'

export function roleIn(table: PermissionTable, role: string): string {
  const names = Object.keys(table)
  if (names.includes(role)) return role
  const remedy = names.length === 0 ? 'add permissions for this role' : `there are ${names.join(', ')}`
  throw new ConfigError([{ where: 'permissions', problem: `unknown role ${role}`, remedy }])
}

function audienceOf(config: CheckedConfig, role: string | null): Audience {
  if (role === null) return 'all'
  const table = grantsIn(config)
  if (table !== null) return { role: roleIn(table, role), table }
  const problem =
    'a function or the database grants the permissions at each request, so they cannot be listed'
  throw new ConfigError([{ where: 'permissions', problem, remedy: 'remove --role' }])
}

/** The types that the config's role may read; without a role, all that are not private. */
export function readableTypes(
  config: CheckedConfig,
  role: string | null,
): RoleTypes & { readonly schema: Schema } {
  const schema = readTypes(config)
  const faults = faultsOfConfig(config, schema)
  if (faults.length > 0) throw new ConfigError(faults)
  return { schema, ...typesForRole(config, schema, audienceOf(config, role)) }
}

/** A file may hold the whole configuration of a router, with `role` and `permissions`. */
export type CheckedConfig = Omit<ContentTypesConfig, 'extensions'> & Partial<ContentRouterConfig>

/** Permissions of roles; null if they depend on a function or on the database. */
export const grantsIn = ({ permissions = {} }: CheckedConfig): PermissionTable | null =>
  typeof permissions === 'function' || isPermissionsSource(permissions) ? null : permissions

/** The config, with extensions that flags name. An extension of the config wins over a flag's. */
export function withExtensions(config: CheckedConfig, named: readonly Extension[]): CheckedConfig {
  const { extensions: own = [] } = config
  const added = named.filter(({ name }) => own.every((one) => one.name !== name))
  return added.length === 0 ? config : { ...config, extensions: [...added, ...own] }
}

const configFiles = ['js', 'cjs', 'mjs'].map((extension) => `content-router.config.${extension}`)

/** True if neither flags nor a file name a source. */
export const isUnnamed = (source: Source): boolean =>
  source.kind === 'file' && source.file === null && !configFiles.some((name) => existsSync(name))

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

function isConfig(value: unknown): value is CheckedConfig {
  return isObject(value) && 'contentTypes' in value && 'database' in value
}

const defaultOf = (value: unknown): unknown => (isObject(value) ? value['default'] : undefined)

/**
 * `import` wraps a CommonJS module once, and a compiled one twice. The whole config comes before the named exports that
 * Node detects, as a part of a config would look like one.
 */
function exported(module: unknown): unknown {
  const whole = defaultOf(module)
  return [defaultOf(whole), whole, module].find(isConfig)
}

async function readFile(file: string): Promise<CheckedConfig | Misuse> {
  const path = resolve(file)
  if (!existsSync(path)) return misuse(`there is no ${file}`)
  try {
    const config = exported(await import(pathToFileURL(path).href))
    return isConfig(config) ? config : misuse(`${file} exports no object with contentTypes and database`)
  } catch (error) {
    return misuse(`${file} cannot be loaded: ${error instanceof Error ? error.message : 'it threw'}`)
  }
}

export async function readConfigFile(source: Source): Promise<CheckedConfig | Misuse> {
  if (source.kind === 'folders') return { contentTypes: source.folders, database: {} }
  if (source.kind === 'flags') {
    const { client, folders } = source
    const connection = client === 'better-sqlite3' ? { filename: source.connection } : source.connection
    return { contentTypes: folders, database: { client, connection } }
  }
  const file = source.file ?? configFiles.find((name) => existsSync(name))
  if (file === undefined) return misuse(`no --config given, and there is no ${configFiles.join(', ')} here`)
  return readFile(file)
}
