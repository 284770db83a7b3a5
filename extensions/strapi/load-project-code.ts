import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { ConfigError } from '../../lib/errors'
import { deniedAt, deniedFault, folderName, type Model, type Schema, type Uid } from '../../lib/schema'
import { isCompiledProject, isolatedLoader } from './module-loader'
import { type CoreKind, placeholder, strapiStandIn } from './strapi-stand-in'

/** A type whose reads run code of the project. */
export interface TypeCode {
  readonly uid: Uid
  readonly reasons: readonly string[]
}

export interface ProjectCode {
  readonly types: readonly TypeCode[]
  /** Files that run when Strapi starts, and may add or change routes of any type: `src/index.ts`. */
  readonly elsewhere: readonly string[]
}

/** Strapi ignores links. Its compiler ignores tests, and prefers TypeScript to JavaScript of the same name. */
function codeIn(root: string, folder: string): readonly string[] {
  if (!existsSync(join(root, folder))) return []
  const entries = readdirSync(join(root, folder), { withFileTypes: true })
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name)
  const isLoaded = (name: string): boolean => {
    if (!isCompiledProject(root)) return /\.js(?:on)?$/.test(name)
    if (/^\.|\.(?:d|test|spec)\.tsx?$/.test(name)) return false
    return (
      /\.(?:tsx?|json)$/.test(name) || (name.endsWith('.js') && !names.includes(name.replace(/js$/, 'ts')))
    )
  }
  return names.filter(isLoaded).map((name) => join(folder, name))
}

const foldersIn = (path: string): readonly string[] =>
  existsSync(path)
    ? readdirSync(path, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
    : []

interface RouteFile {
  readonly file: string
  readonly api: string
  readonly routes: readonly Route[]
  readonly problem?: string
  readonly text?: string
}

interface Route {
  readonly method: string
  readonly path: readonly string[]
  /** `api::article.article.find`, only for an unchanged result of `createCoreRouter`. */
  readonly core: string | null
  readonly guards: readonly string[]
}

function nameOf(one: unknown): string {
  const name = typeof one === 'string' ? one : (Object(one) as Readonly<Record<string, unknown>>)['name']
  return typeof name === 'string' && name !== '' ? name : 'a function'
}

function guardsOf(config: unknown): readonly string[] {
  const settings = Object(config) as Readonly<Record<string, unknown>>
  const found: string[] = []
  // Strapi reads inherited settings too.
  for (const name in settings) {
    const value = settings[name]
    const isEmpty = typeof value === 'object' && Object.keys(value ?? {}).length === 0
    if (value === undefined || isEmpty) continue
    const shown = Array.isArray(value) ? value.map(nameOf).join(', ') : JSON.stringify(value)
    found.push(`${name} (${shown})`)
  }
  return found
}

function routesOf(router: unknown, isCoreRouter: boolean): readonly Route[] {
  if (Array.isArray(router)) throw new ReferenceError('the routes are outside of the API')
  const { prefix, routes } = Object(router) as Readonly<Record<string, unknown>>
  return [...((routes ?? []) as readonly Readonly<Record<string, unknown>>[])].map((route) => {
    const { method, path, handler, config } = route
    const before = 'prefix' in Object(config) ? '' : typeof prefix === 'string' ? prefix : ''
    return {
      method: String(method).trim().toUpperCase(),
      path: `${before}/${String(path).trim()}`.split('/').filter((segment) => segment !== ''),
      core: isCoreRouter ? String(handler) : null,
      guards: guardsOf(config),
    }
  })
}

const isOpen = (segment: string): boolean => /[()*+?{\\]/.test(segment)
const isPattern = (segment: string): boolean => segment.includes(':') || isOpen(segment)

/** A pattern may match any name with the same prefix: `(a|b)s`, `note(.*)`. */
function canMatch(segment: string, name: string): boolean {
  const [head = ''] = /^[^:()*+?{\\]*(?![*+?])/.exec(segment) ?? []
  return isPattern(segment) && name.startsWith(head.toLowerCase())
}

function canRespond({ method, path }: Route, name: string, comesFirst: boolean): boolean {
  const [first = '', second, ...others] = path
  if (method !== 'GET' && method !== 'ALL') return false
  if (first.toLowerCase() !== name && !(comesFirst && canMatch(first, name))) return false
  return second === undefined || (isPattern(second) && others.every(isOpen))
}

/** Each read needs Strapi's own route, and no other route that may respond first. */
function routeReasons(files: readonly RouteFile[], model: Model, home: string): readonly string[] {
  const name = String(model.route).toLowerCase()
  const missing = new Set(model.kind === 'singleType' ? ['find'] : ['find', 'findOne'])
  const reasons = files.flatMap(({ file, api, routes, problem, text = '' }): readonly string[] => {
    if (problem !== undefined)
      return api === home || [`/${name}`, model.uid].some((one) => text.includes(one)) ? [problem] : []
    // Koa's router takes the first matching route, in the order of the folders.
    const found = routes.filter((route) => canRespond(route, name, api <= home))
    return found.flatMap((route) => {
      const action = ['find', 'findOne'].find((one) => api === home && route.core === `${model.uid}.${one}`)
      if (action === undefined)
        return [`${file}: ${route.method} /${route.path.join('/')} is not Strapi’s own route`]
      missing.delete(action)
      return route.guards.map((guard) => `${file}: ${action} has ${guard}`)
    })
  })
  return reasons.length > 0 || missing.size === 0
    ? reasons
    : [`the project has no route for ${[...missing].join(' and ')}`]
}

/** True if the file may add routes, or import a file that does. */
const canAddRoutes = (text: string): boolean =>
  /\brout|\bserver\b|\bapis\b|\.api\b|polic|\bcontroller|(?:from|require\s*\(|import)\s*['"`]\./i.test(text)

function codeElsewhere(root: string, src: string): readonly string[] {
  const extensions = foldersIn(join(root, src, 'extensions')).map(
    (name) => `extensions/${name}/strapi-server`,
  )
  const apis = foldersIn(join(root, src, 'api')).map((name) => `api/${name}/index`)
  return ['index', ...extensions, ...apis]
    .flatMap((name) => [`${src}/${name}.ts`, `${src}/${name}.js`])
    .filter((file) => existsSync(join(root, file)) && canAddRoutes(readFileSync(join(root, file), 'utf8')))
}

type TypesByFolder = ReadonlyMap<string, readonly Model[]>

function loadProject(path: string, models: Schema['models'], types: TypesByFolder): ProjectCode {
  const [src, root] = [basename(dirname(path)), dirname(dirname(path))]
  const codeOf = (api: string, folder: string): readonly string[] =>
    codeIn(root, join(src, basename(path), api, folder))
  const apis = foldersIn(path).filter((name) => !name.startsWith('.'))
  const hasCode = (api: string): boolean =>
    ['routes', 'controllers', 'services'].some((folder) => codeOf(api, folder).length > 0)
  // Definitions alone are no project that Strapi could start.
  if (![...apis, ...types.keys()].some(hasCode)) return { types: [], elsewhere: [] }
  const standIn = strapiStandIn(models)
  const load = isolatedLoader(root, standIn.requirePackage, { strapi: placeholder('strapi') })

  function routesIn(api: string): readonly RouteFile[] {
    return codeOf(api, 'routes').map((file): RouteFile => {
      try {
        return { file, api, routes: load(file, (made) => routesOf(made, standIn.isCoreRouter(made))) }
      } catch (error) {
        const text = readFileSync(join(root, file), 'utf8').toLowerCase()
        return { file, api, routes: [], problem: (error as Error).message, text }
      }
    })
  }

  function codeReasons(api: string, kind: CoreKind, { uid, singularName }: Model): readonly string[] {
    const own = codeOf(api, `${kind}s`).filter(
      (file) => folderName(basename(file, extname(file))) === singularName,
    )
    return own.flatMap((file) => {
      try {
        const methods = load(file, (made) => standIn.overridden(kind, uid, made))
        return methods.length === 0 ? [] : [`${file}: the file defines ${methods.join(', ')}`]
      } catch (error) {
        return [(error as Error).message]
      }
    })
  }

  const routes = apis.sort().flatMap(routesIn)
  const all = [...types].flatMap(([api, own]) =>
    own.map((model) => {
      const kinds = ['controller', 'service'] as const
      const code = kinds.flatMap((kind) => codeReasons(api, kind, model))
      return { uid: model.uid, reasons: [...routeReasons(routes, model, api), ...code] }
    }),
  )
  return { types: all.filter(({ reasons }) => reasons.length > 0), elsewhere: codeElsewhere(root, src) }
}

function refuseDenied<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    const place = deniedAt(error)
    throw place === undefined ? error : new ConfigError([deniedFault(place)])
  }
}

const apiOf = /^(.*[\\/]api)[\\/]([^\\/]+)[\\/]content-types[\\/][^\\/]+[\\/]schema\.json$/

/** Routes, controllers and services next to the definitions of a Strapi project, loaded with a stand-in for Strapi. */
export function loadProjectCode({ models, places }: Schema): ProjectCode {
  const projects = new Map<string, Map<string, Model[]>>()
  for (const model of models.values()) {
    const [, path, folder] = apiOf.exec(resolve(places.get(model.uid) ?? '')) ?? []
    if (path === undefined || folder === undefined || model.route === null) continue
    const types = projects.get(path) ?? new Map<string, Model[]>()
    projects.set(path, types.set(folder, [...(types.get(folder) ?? []), model]))
  }
  const all = [...projects].map(([path, types]) => refuseDenied(() => loadProject(path, models, types)))
  return { types: all.flatMap(({ types }) => types), elsewhere: all.flatMap(({ elsewhere }) => elsewhere) }
}
