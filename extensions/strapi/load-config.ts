import { Console } from 'node:console'
import { lstatSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type * as Parser from 'dotenv'
import { isCompiledProject, ProjectFileError, fileErrorAt, moduleLoader } from './module-loader'
import { placeholder } from './strapi-stand-in'

export type Environment = Readonly<Record<string, string | undefined>>

/** Strapi ignores an unreadable file. */
function readDotEnv(root: string, path: string): Environment {
  // Required here: only a process that loads a project needs it. Strapi parses values with dotenv too.
  const { parse } = require('dotenv') as typeof Parser
  try {
    return parse(readFileSync(resolve(root, path.replace(/^~/, homedir())), 'utf8'))
  } catch {
    return {}
  }
}

/** Variables of the process win over those of `.env`. */
export function projectEnvironment(root: string, given: Environment): NodeJS.ProcessEnv {
  const set = Object.entries(given).filter(([, value]) => value !== undefined)
  const env: Environment = { ...readDotEnv(root, given['ENV_PATH'] || '.env'), ...Object.fromEntries(set) }
  return { ...env, NODE_ENV: env['NODE_ENV'] || 'development' }
}

/** Packages that change `process.env`, such as dotenv, change only this copy. */
export function withEnvironment<T>(env: NodeJS.ProcessEnv, work: () => T): T {
  const before = process.env
  process.env = env
  try {
    return work()
  } finally {
    process.env = before
  }
}

function listIn(text: string): readonly string[] {
  const inner = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text
  return inner.split(',').map((one) => one.replace(/^ +| +$/g, '').replace(/^"+|"+$/g, ''))
}

/** The argument that Strapi passes to each file of `config`: packages/core/utils/src/env-helper.ts. */
function envHelper(env: Environment): object {
  const cast =
    (read: (text: string) => unknown) =>
    (name: string, otherwise?: unknown): unknown =>
      Object.hasOwn(env, name) ? read(env[name] ?? '') : otherwise
  const text = cast((value) => value)
  return Object.assign(text, {
    int: cast((value) => parseInt(value, 10)),
    float: cast(parseFloat),
    bool: cast((value) => value === 'true'),
    json: cast((value) => JSON.parse(value) as unknown),
    array: cast(listIn),
    date: cast((value) => new Date(value)),
    oneOf: (name: string, expected: readonly unknown[], otherwise?: unknown): unknown => {
      if (Boolean(otherwise) && !expected.includes(otherwise))
        throw new Error('not one of the expected values')
      const value = text(name, otherwise)
      return expected.includes(value) ? value : otherwise
    },
  })
}

export const isConfigObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  Object.prototype.toString.call(value) === '[object Object]'

/** Like lodash's `merge`: lists are merged by position, and undefined replaces nothing. */
function merge(base: unknown, over: unknown): unknown {
  if (over === undefined) return base
  if (Array.isArray(base) && Array.isArray(over)) {
    const length = Math.max(base.length, over.length)
    return Array.from({ length }, (_, at) => merge(base[at], over[at]))
  }
  if (!isConfigObject(base) || !isConfigObject(over)) return over
  const merged = Object.entries(over).map(([name, value]) => [name, merge(base[name], value)])
  return { ...base, ...(Object.fromEntries(merged) as object) }
}

/** Strapi ignores folders and links, and TypeScript unless it compiles the project. */
function configPlace(root: string, folder: string, name: string): readonly string[] {
  const endings = isCompiledProject(root) ? ['.ts', '.js', '.json'] : ['.js', '.json']
  const isFile = (place: string): boolean =>
    lstatSync(join(root, place), { throwIfNoEntry: false })?.isFile() === true
  return endings
    .map((end) => join(folder, name + end))
    .filter(isFile)
    .slice(0, 1)
}

/** Strapi's factories only check types. */
const returnConfig = (...given: readonly unknown[]): unknown => given.at(-1)
const factories = new Proxy({}, { get: () => returnConfig })

const isDatabaseClientKind = (client: unknown): boolean =>
  ['mysql', 'postgres', 'sqlite'].includes(String(client))

/** Many packages are imported for settings that the router does not read. */
function requireInstalled(name: string, require: NodeJS.Require): unknown {
  try {
    return require(name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return placeholder(name)
    throw error
  }
}

function exit(): never {
  throw new Error('process.exit')
}

/** One file of `config`, loaded like packages/core/core/src/utils/load-config-file.ts. */
function configFileLoader(root: string, env: Environment): (place: string) => unknown {
  const helper = envHelper(env)
  const strapi = new Map<string, Readonly<Record<string, unknown>>>([
    ['@strapi/strapi', { factories }],
    ['@strapi/database', { isDatabaseClientKind }],
    ['@strapi/utils', { env: helper }],
  ])
  const load = moduleLoader({
    root,
    requireFrom: (place) => {
      const installed = createRequire(join(root, place))
      const require = (name: string): unknown =>
        strapi.has(name) ? placeholder(name, strapi.get(name)) : requireInstalled(name, installed)
      return Object.assign(require, { resolve: installed.resolve })
    },
    variables: {
      process: Object.create(process, { cwd: { value: () => root }, exit: { value: exit } }),
      // Commands such as `types` print their result on stdout.
      console: new Console(process.stderr),
    },
  })
  return (place) => {
    try {
      const value = load(place)
      if (typeof value === 'function') return (value as (given: object) => unknown)({ env: helper })
      if (!place.endsWith('.json') || !JSON.stringify(value).includes('${')) return value
    } catch (error) {
      throw fileErrorAt(place, error)
    }
    throw new ProjectFileError(place, 'the file contains a template, which only Strapi evaluates')
  }
}

export interface ProjectConfig {
  readonly env: Environment
  /** The value at a path of a file: `api`, `rest.maxLimit`. */
  readonly at: (file: string, path: string) => unknown
  readonly faultOf: (file: string) => ProjectFileError | undefined
  /** Paths relative to the project: `config/api.ts` and the file of NODE_ENV. */
  readonly placesOf: (file: string) => readonly string[]
}

export function loadConfig(root: string, env: Environment): ProjectConfig {
  const loadPlace = configFileLoader(root, env)
  const folders = ['config', join('config', 'env', env['NODE_ENV'] ?? '')]
  const placesOf = (file: string): readonly string[] =>
    folders.flatMap((folder) => configPlace(root, folder, file))
  const loaded = new Map<string, unknown>()

  function load(file: string): unknown {
    try {
      const [base, over] = placesOf(file).map(loadPlace)
      return merge(base, over)
    } catch (error) {
      return fileErrorAt('config', error)
    }
  }

  function read(file: string): unknown {
    if (!loaded.has(file)) loaded.set(file, load(file))
    return loaded.get(file)
  }

  return {
    env,
    placesOf,
    faultOf: (file) => {
      const made = read(file)
      return made instanceof ProjectFileError ? made : undefined
    },
    at: (file, path) => {
      const names = path === '' ? [] : path.split('.')
      return names.reduce<unknown>(
        (inner, name) => (isConfigObject(inner) ? inner[name] : undefined),
        read(file),
      )
    },
  }
}
