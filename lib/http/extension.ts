import type { Request, RequestHandler } from 'express'
import type { RouteRight } from '../access'
import type { Compiled } from '../sql'
import {
  type AddedQueries,
  type CoreConfig,
  type DefaultingExtension,
  type FilledOptions,
  faultsOfDefaults,
  isFunction,
  isTable,
  isText,
  type Logger,
} from '../config'
import type { Database } from '../database'
import { type Fault, ConfigError } from '../errors'
import type { Follower } from '../freshness'
import type { LevelRows, LoadedAnswer, ReadFrom } from '../read'
import type { BaseQuery, RawObject } from '../query'
import { didYouMean, type Model, modelNamed, type Schema, type Uid } from '../schema'
import { HostError } from './host-error'
import type { CoreRights, ReadRoute } from './read-route'
import type { RequestObserver, RequestStart } from './observer'
import type { QueryRewriting } from './rewrite-query'

/** All extensions of one router, as one. */
export interface RunningExtensions {
  readonly follower: Follower | null
  readonly sharedHeaders: ((source: BodySource) => SharedHeaders) | null
  readonly checkDatabase: () => Promise<readonly Fault[]>
  readonly close: () => Promise<void>
}

function followerOf(running: readonly RunningExtension[]): Follower | null {
  const [follower = null, another] = running.flatMap((one) => one.follower ?? [])
  if (another === undefined) return follower
  throw new ConfigError([{ where: 'extensions', problem: 'two of them follow the database' }])
}

function sharedHeadersOf(running: readonly RunningExtension[]): RunningExtensions['sharedHeaders'] {
  const [first, ...others] = running.flatMap(({ sharedHeaders }) => sharedHeaders ?? [])
  if (first === undefined) return null
  if (others.length === 0) return first
  return (source) =>
    Object.assign({}, first(source), ...others.map((headersOf) => headersOf(source))) as SharedHeaders
}

export function startExtensions(core: Core): RunningExtensions {
  const running = core.settings.extensions.flatMap(({ start }) => start?.(core) ?? [])
  return {
    follower: followerOf(running),
    sharedHeaders: sharedHeadersOf(running),
    checkDatabase: async () => {
      const faults = await Promise.all(running.flatMap(({ checkDatabase }) => checkDatabase?.() ?? []))
      return faults.flat()
    },
    close: async () => {
      await Promise.all(running.flatMap(({ close }) => close?.() ?? []))
    },
  }
}

/** What a router serves, and by which options. */
export interface CoreSettings extends FilledOptions, Required<AddedQueries> {
  readonly schema: Schema
  readonly logger: Logger
  /** Types that are not served at paths of their own. */
  readonly withheld: ReadonlySet<Uid>
  readonly extensions: readonly Extension[]
}

/** What a router lends to its extensions. */
export interface Core {
  readonly settings: CoreSettings
  readonly database: Database
  /** Runs a statement that belongs to no request. */
  readonly ask: (sql: string) => Promise<readonly (readonly unknown[])[]>
  /** What the sender of a request may read, once the request has reached a route. */
  readonly rightsOf: (req: Request) => CoreRights
  /** Reads the rights again, for a response that lasts. */
  readonly renewRights: (req: Request) => Promise<CoreRights>
}

/** What a body was read from. */
export interface BodySource extends Omit<ReadFrom, 'basis'> {
  readonly rows: LevelRows
  /** The document in the path; null where more than one entry may be shown. */
  readonly documentId: string | null
  /** Whether the role may know the type. */
  readonly mayName: (model: Model) => boolean
}

export type SharedHeaders = Readonly<Record<string, string>>

/** An extension at work in one router. */
export interface RunningExtension {
  /** Keeps cached responses valid when other content changes. A router has one at most. */
  readonly follower?: Follower | null
  /** Headers of a body in shared caches, which may not store a body without them. They are cached with it. */
  readonly sharedHeaders?: ((source: BodySource) => SharedHeaders) | null
  /** What is missing in the database, for `ready()`. */
  readonly checkDatabase?: () => Promise<readonly Fault[]>
  /** Ends what would outlast the router, such as open responses. */
  readonly close?: () => Promise<void>
}

/** Requests of it are authenticated and refused like those of content. */
export interface ExtensionRoute {
  /** Below the mount: `/openapi.json`. */
  readonly path: string
  readonly handler: (core: Core) => RequestHandler
}

/** What extensions check their own options against. */
export interface CheckedCore {
  readonly schema: Schema
  /** Throws the error that a role gets for the query which may read everything, within the limits of any role. */
  readonly tryQuery: (model: Model, raw: RawObject, base?: BaseQuery) => void
}

/** Changes the rows of one response before they are written. Its errors are those of a function of the host. */
export type ChangeRows = (loaded: LoadedAnswer) => Promise<void>

/** Reads entries of a type, with the queue, the cache and the observation of content. Left out if there is no such type. */
export interface ExtensionReadRoute extends ReadRoute {
  readonly right: RouteRight & { readonly type: string }
}

/** Observes requests for content, over HTTP and in the process. */
export interface Observe {
  /** True if its observers have `addMeta`. */
  readonly addsMeta: boolean
  /** Called once for each router. The function that it returns is called as each request begins. */
  readonly follow: (core: Core) => (start: RequestStart) => RequestObserver
}

/** A feature that the router does not know. `name` is used once in a router, and in messages. */
export interface Extension extends DefaultingExtension {
  /** Faults of its own options, reported with all others in one `ConfigError`. `core` is null if that has faults itself. */
  readonly check?: (config: CoreConfig, core: CheckedCore | null) => readonly Fault[]
  readonly routes?: readonly (ExtensionRoute | ExtensionReadRoute)[]
  /** Types that are not served, whatever the permissions grant. Called once, when the router is made. */
  readonly withholds?: (schema: Schema, logger: Logger) => readonly Uid[]
  readonly rewriteQuery?: QueryRewriting
  /** Called once for a plan; null leaves its rows as they are. Responses with changed rows are never cached. */
  readonly afterRead?: (plan: Compiled) => ChangeRows | null
  /** Starts with the router, not with the first request. */
  readonly start?: (core: Core) => RunningExtension
  readonly observe?: Observe
}

const isReadRoute = (route: ExtensionRoute | ExtensionReadRoute): route is ExtensionReadRoute =>
  'right' in route

/** The types that routes of extensions read, by their names. */
export const typesOfRoutes = (extensions: readonly Extension[] = []): readonly string[] =>
  extensions.flatMap(({ routes = [] }) => routes.filter(isReadRoute).map(({ right }) => right.type))

/** A route of an extension, as it is served. */
export type ServedExtensionRoute =
  | {
      readonly kind: 'read'
      readonly path: string
      readonly route: ExtensionReadRoute
      readonly model: Model
    }
  | { readonly kind: 'handled'; readonly path: string; readonly handler: ExtensionRoute['handler'] }

export const extensionRoutes = ({
  extensions,
  schema,
}: Pick<CoreSettings, 'extensions' | 'schema'>): readonly ServedExtensionRoute[] =>
  extensions
    .flatMap(({ routes = [] }) => routes)
    .flatMap((route): ServedExtensionRoute[] => {
      const { path } = route
      if (!isReadRoute(route)) return [{ kind: 'handled', path, handler: route.handler }]
      const model = modelNamed(schema, route.right.type)
      return model === undefined ? [] : [{ kind: 'read', path, route, model }]
    })

/** Whether one of them answers at the mount itself, where the types are listed. */
export const servesIndex = (extensions: readonly Extension[] = []): boolean =>
  extensions.some(({ routes = [] }) => routes.some(({ path }) => path === '/'))

export const rewritingsOf = (extensions: readonly Extension[]): readonly QueryRewriting[] =>
  extensions.flatMap(({ rewriteQuery }) => rewriteQuery ?? [])

/** What all of them add to the queries of clients. */
export function addedQueries(extensions: readonly Extension[] = []): Required<AddedQueries> {
  const added = rewritingsOf(extensions).flatMap(({ adds }) => adds ?? [])
  return {
    queries: Object.fromEntries(added.flatMap(({ queries = {} }) => Object.entries(queries))),
    defaults: Object.fromEntries(added.flatMap(({ defaults = {} }) => Object.entries(defaults))),
  }
}

/** What all of them change in the rows of a plan; null where none changes rows. */
export function rowChanges(extensions: readonly Extension[]): ((plan: Compiled) => ChangeRows | null) | null {
  const hooks = extensions.flatMap(({ afterRead }) => afterRead ?? [])
  if (hooks.length === 0) return null
  return (plan) => {
    const changes = hooks.flatMap((hook) => hook(plan) ?? [])
    if (changes.length === 0) return null
    return async (loaded) => {
      try {
        for (const change of changes) await change(loaded)
      } catch (error) {
        throw new HostError(error)
      }
    }
  }
}

const isExtension = (value: unknown): value is Extension =>
  isTable(value) && 'name' in value && isText(value.name)

const isRoute = (value: unknown): boolean =>
  isTable(value) &&
  'path' in value &&
  String(value.path).startsWith('/') &&
  ('right' in value || 'handler' in value)

const asFunction = [isFunction, 'is no function'] as const
const asTable = [isTable, 'is no object'] as const

const memberChecks: Readonly<
  Record<Exclude<keyof Extension, 'name'>, readonly [fits: (value: unknown) => boolean, problem: string]>
> = {
  ...{ defaults: asTable, rewriteQuery: asTable, observe: asTable },
  ...{ check: asFunction, withholds: asFunction, afterRead: asFunction, start: asFunction },
  routes: [(value) => Array.isArray(value) && value.every(isRoute), "is no list of { path: '/…', handler }"],
}

function faultsOfMember(where: string, [name, value]: [string, unknown]): Fault[] {
  if (name === 'name' || value === undefined) return []
  if (!Object.hasOwn(memberChecks, name)) {
    const remedy = didYouMean(name, Object.keys(memberChecks))
    return [{ where: `${where}.${name}`, problem: 'an extension has no such member', remedy }]
  }
  const [fits, problem] = memberChecks[name as keyof typeof memberChecks]
  return fits(value) ? [] : [{ where: `${where}.${name}`, problem }]
}

/** Requests would reach the first of two routes alone. */
function faultsOfPaths(extensions: readonly Extension[]): Fault[] {
  const owners = new Map<string, string>()
  return extensions.flatMap(({ name, routes = [] }) =>
    routes.flatMap(({ path }): Fault[] => {
      const route = path.toLowerCase().replace(/(?<=.)\/$/, '')
      const owner = owners.get(route)
      owners.set(route, owner ?? name)
      if (owner === undefined) return []
      return [{ where: 'extensions', problem: `${owner} and ${name} both serve ${path}` }]
    }),
  )
}

export function faultsOfExtensions(
  config: CoreConfig & { readonly extensions?: unknown },
  core: CheckedCore | null,
): Fault[] {
  const { extensions } = config
  if (extensions === undefined) return []
  const remedy = 'write extensions: [openapi()]'
  if (!Array.isArray(extensions)) return [{ where: 'extensions', problem: 'is no list', remedy }]
  const names = new Set<string>()
  const faults = extensions.flatMap((one: unknown, index): Fault[] => {
    const where = `extensions[${String(index)}]`
    if (typeof one === 'function')
      return [{ where, problem: 'is a function', remedy: `call it: ${one.name}()` }]
    if (isTable(one) && !('name' in one)) return [{ where, problem: 'has no name' }]
    if (!isExtension(one)) return [{ where, problem: 'is no extension', remedy }]
    if (names.has(one.name)) return [{ where, problem: `${one.name} is there already` }]
    names.add(one.name)
    const own = isFunction(one.check) ? (one.check?.(config, core) ?? []) : []
    const ofMembers = Object.entries(one).flatMap((member) => faultsOfMember(where, member))
    if (own.length > 0) return [...own]
    return ofMembers.length > 0 ? ofMembers : faultsOfDefaults(where, one)
  })
  return faults.length > 0 ? faults : faultsOfPaths(extensions as readonly Extension[])
}
