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
import { isRecord, type Schema } from '../../lib/schema'
import { Misuse } from './parse-words'

export function roleIn(table: PermissionTable, role: string): string {
  const names = Object.keys(table)
  if (names.includes(role)) return role
  const remedy =
    names.length === 0 ? 'add the role to the option permissions' : `use one of ${names.join(', ')}`
  throw new Misuse(`permissions: there is no role ${role} (${remedy})`)
}

function audienceOf(config: CheckedConfig, role: string | null): Audience {
  if (role === null) return 'all'
  const table = grantsIn(config)
  if (table !== null) return { role: roleIn(table, role), table }
  const problem =
    'the permissions cannot be listed, because a function or the database grants them at each request'
  throw new ConfigError([{ where: 'permissions', problem, remedy: 'remove the flag --role' }])
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

/** Extensions that run beside a router are left out for a single request. Those that change the meaning of `_q` stay. */
export const unstarted = ({ extensions = [], ...config }: CheckedConfig): CheckedConfig => ({
  ...config,
  extensions: extensions.filter(
    ({ start, textMatching }) => start === undefined || textMatching !== undefined,
  ),
})

/** A config of flags, or its file. Null: the file in the working directory. */
export type Source = CheckedConfig | string | null

const configFiles = ['js', 'cjs', 'mjs'].map((extension) => `content-router.config.${extension}`)

/** True if neither flags nor a file name a source. */
export const isUnnamed = (source: Source): boolean =>
  source === null && !configFiles.some((name) => existsSync(name))

const isConfig = (value: unknown): value is CheckedConfig =>
  isRecord(value) && 'contentTypes' in value && 'database' in value

const defaultOf = (value: unknown): unknown => (isRecord(value) ? value['default'] : undefined)

/**
 * `import` wraps a CommonJS module once, and a compiled one twice. The whole config comes before the named exports that
 * Node detects, as a part of a config would look like one.
 */
function exported(module: unknown): CheckedConfig | undefined {
  const whole = defaultOf(module)
  return [defaultOf(whole), whole, module].find(isConfig)
}

export async function readConfigFile(source: Source): Promise<CheckedConfig> {
  if (typeof source === 'object' && source !== null) return source
  const file = source ?? configFiles.find((name) => existsSync(name))
  if (file === undefined)
    throw new Misuse(`the flag --config is missing, and the folder contains no ${configFiles.join(', ')}`)
  const path = resolve(file)
  if (!existsSync(path)) throw new Misuse(`the file ${file} does not exist`)
  const module: unknown = await import(pathToFileURL(path).href).catch((error: unknown) => {
    throw new Misuse(
      `${file} cannot be loaded: ${error instanceof Error ? error.message : 'the file threw an error'}`,
    )
  })
  const config = exported(module)
  if (config === undefined) throw new Misuse(`${file} must export an object with contentTypes and database`)
  return config
}
