import type { Model } from '../../lib/schema'

type PackageMembers = Readonly<Record<string, unknown>>

/** A package that is not loaded. It may be imported; using it throws, as the result is unknown. */
export function placeholder(name: string, members: PackageMembers = {}): unknown {
  const refuse = (): never => {
    throw new ReferenceError(`${name} is not available`)
  }
  const target = function (): void {
    refuse()
  }
  return new Proxy(target, {
    get: (_target, key) => {
      if (key === '__esModule') return true
      if (typeof key === 'symbol') return refuse()
      if (Object.hasOwn(members, key)) return members[key]
      return key === 'default' ? placeholder(name, members) : placeholder(`${name}.${key}`)
    },
    ...{ apply: refuse, construct: refuse, has: refuse, set: refuse, ownKeys: refuse },
    ...{ defineProperty: refuse, deleteProperty: refuse, getOwnPropertyDescriptor: refuse },
  })
}

export type CoreKind = 'controller' | 'service'

const readMethods: Readonly<Record<CoreKind, readonly string[]>> = {
  controller: ['find', 'findOne', 'transformResponse', 'sanitizeOutput', 'sanitizeQuery', 'validateQuery'],
  service: ['find', 'findOne', 'getFetchParams'],
}

interface RouterOptions {
  readonly prefix?: unknown
  readonly config?: PackageMembers
  readonly only?: string | readonly string[]
  readonly except?: string | readonly string[]
}

/** Routes of reads, like packages/core/core/src/core-api/routes/index.ts. */
function coreRoutes(
  { uid, kind, route }: Model,
  { config = {}, only, except }: RouterOptions,
): readonly object[] {
  const path = `/${String(route)}`
  const all = [
    { action: 'find', path },
    ...(kind === 'singleType' ? [] : [{ action: 'findOne', path: `${path}/:id` }]),
  ]
  return all
    .filter(({ action }) => !only || [only].flat().includes(action))
    .filter(({ action }) => !except || ![except].flat().includes(action))
    .map((one) => ({
      ...one,
      method: 'GET',
      handler: `${uid}.${one.action}`,
      config: config[one.action] ?? {},
    }))
}

export interface StrapiStandIn {
  readonly requirePackage: (name: string) => unknown
  readonly isCoreRouter: (made: unknown) => boolean
  /** Methods that replace Strapi's own for this type. */
  readonly overridden: (kind: CoreKind, uid: string, made: unknown) => readonly string[]
}

/** Strapi's factories of controllers, services and routers: packages/core/core/src/factories.ts. */
export function strapiStandIn(models: ReadonlyMap<string, Model>): StrapiStandIn {
  const cores = new Map<string, PackageMembers>()
  const routers = new WeakSet()

  function coreOf(kind: CoreKind, uid: string): PackageMembers {
    const methods = readMethods[kind].map((method) => [method, placeholder(`${uid}.${method}`)])
    const core = cores.get(kind + uid) ?? (Object.fromEntries(methods) as PackageMembers)
    cores.set(kind + uid, core)
    return core
  }

  const extend =
    (kind: CoreKind) =>
    (uid: string, given: unknown) =>
    (context: unknown): unknown => {
      const made: unknown =
        typeof given === 'function' ? (given as (from: unknown) => unknown)(context) : given
      const own = (made ?? {}) as Record<string, unknown>
      for (const [name, method] of Object.entries(coreOf(kind, uid)))
        if (own[name] === undefined) own[name] = method
      return own
    }

  function createCoreRouter(uid: string, options?: RouterOptions): object {
    let routes: readonly object[] | undefined
    const router = {
      prefix: options?.prefix,
      get routes(): readonly object[] {
        const model = models.get(uid)
        if (model === undefined) throw new ReferenceError(`${uid} is not a content type`)
        routes ??= coreRoutes(model, options ?? {})
        return routes
      },
    }
    routers.add(router)
    return router
  }

  const factories = {
    createCoreRouter,
    createCoreController: extend('controller'),
    createCoreService: extend('service'),
  }
  return {
    requirePackage: (name) => placeholder(name, /^@strapi\/strapi(?:\/|$)/.test(name) ? { factories } : {}),
    isCoreRouter: (made) => routers.has(Object(made) as object),
    overridden: (kind, uid, made) => {
      const own = Object(made) as PackageMembers
      return Object.entries(coreOf(kind, uid)).flatMap(([name, method]) =>
        own[name] === method ? [] : [name],
      )
    },
  }
}
