import type { Request } from 'express'
import {
  type AddedQueries,
  type CoreConfig,
  faultsOfDefaults,
  isFunction,
  isTable,
  type Logger,
} from '../config'
import { ConfigError, type Fault, faultAt, type RequestError } from '../errors'
import type { Database } from '../database'
import type { MatchText } from '../plan'
import type { QueryLimits, RawObject } from '../query'
import { inTime } from '../read'
import {
  didYouMean,
  faultsOfValues,
  isText,
  type Model,
  type Schema,
  type Uid,
  type ValueCheck,
} from '../schema'
import type { Compiled } from '../sql'
import { HostError, raiseHostError } from './errors'
import type {
  ChangeRows,
  CheckedCore,
  Core,
  CoreRights,
  Extension,
  ExtensionReadRoute,
  ExtensionRoute,
  ListReading,
  MissingIndex,
  ReadRoute,
  RewrittenQuery,
  RunningExtension,
  SharedHeaders,
} from './extension'

/** All extensions of one router, as one. */
export type RunningExtensions = Required<RunningExtension>

function startIn(core: Core, { name, start }: Extension): readonly RunningExtension[] {
  try {
    return start === undefined ? [] : [start(core)]
  } catch (error) {
    if (error instanceof ConfigError) throw error
    const message = error instanceof Error ? error.message : String(error)
    throw new Error(`the extension ${name} failed to start: ${message}`, { cause: error })
  }
}

export function runExtensions(core: Core): RunningExtensions {
  const running = core.settings.extensions.flatMap((one) => startIn(core, one))
  const [follower = null, another] = running.flatMap((one) => one.follower ?? [])
  if (another !== undefined)
    throw new ConfigError(faultAt('extensions', 'only one extension can follow commits'))
  const headers = running.flatMap(({ sharedHeaders }) => sharedHeaders ?? [])
  return {
    follower,
    sharedHeaders:
      headers.length === 0
        ? null
        : (source) => Object.assign({}, ...headers.map((one) => one(source))) as SharedHeaders,
    checkDatabase: async () => {
      const missing = await findMissingIndexes(core.settings.extensions, core.settings.schema, core.database)
      const problem = 'the search index is missing or incomplete'
      const remedy = 'run content-router search-index with the config of the router'
      const faults = await Promise.all(running.flatMap(({ checkDatabase }) => checkDatabase?.() ?? []))
      return [...missing.map(({ model }) => ({ where: model.table, problem, remedy })), ...faults.flat()]
    },
    close: async () => {
      await Promise.all(running.flatMap(({ close }) => close?.() ?? []))
    },
  }
}

export async function findMissingIndexes(
  extensions: readonly Extension[],
  schema: Schema,
  database: Database,
): Promise<readonly MissingIndex[]> {
  const reads = extensions.flatMap((one) => one.missingIndexes?.(schema, database) ?? [])
  return (await Promise.all(reads)).flat()
}

export const isReadRoute = (route: ExtensionRoute | ReadRoute): route is ExtensionReadRoute =>
  'right' in route

/** The types that routes of extensions read, by their names. */
export const typesOfRoutes = (extensions: readonly Extension[] = []): readonly string[] =>
  extensions.flatMap(({ routes = [] }) => routes.filter(isReadRoute).map(({ right }) => right.type))

/** True if one of them answers at the mount itself, where the types are listed. */
export const servesIndex = (extensions: readonly Extension[] = []): boolean =>
  extensions.some(({ routes = [] }) => routes.some(({ path }) => path === '/'))

/** The readings of extensions that have a path below a list, and a key in `permissions`. */
export const listReadings = (extensions: readonly Extension[] = []): readonly ListReading[] =>
  extensions.flatMap(({ listReading }) => (listReading?.plan === undefined ? [] : listReading))

/** The readings of a type that the caller may use. */
export const grantedReadings = (
  extensions: readonly Extension[],
  { readingGrants }: Pick<CoreRights, 'readingGrants'>,
  model: Model,
): readonly ListReading[] =>
  listReadings(extensions).filter(({ name }) => readingGrants(model, name).length > 0)

/** Queries that they add to those of clients. */
export function addedQueries(extensions: readonly Extension[] = []): Required<AddedQueries> {
  const added = extensions.flatMap(({ rewriteQuery }) => rewriteQuery?.adds ?? [])
  return {
    queries: Object.fromEntries(added.flatMap(({ queries = {} }) => Object.entries(queries))),
    defaults: Object.fromEntries(added.flatMap(({ defaults = {} }) => Object.entries(defaults))),
  }
}

/** Null: the query of the URL. */
export type ReadQuery = (req: Request, limits: QueryLimits) => Promise<string | RawObject | null>

/** Reads the query that an extension puts in place of that of the URL; null without such an extension. */
export function queryReader(extensions: readonly Extension[], timeout: number): ReadQuery | null {
  const readers = extensions.flatMap(({ rewriteQuery }) => rewriteQuery?.fromRequest ?? [])
  if (readers.length === 0) return null
  return async (req, limits) => {
    try {
      for (const read of readers) {
        const query = await inTime(read(req, limits), timeout)
        if (query !== null) return query
      }
      return null
    } catch (error) {
      raiseHostError(error)
    }
  }
}

/** One rewriter for all of them; null if no extension rewrites queries. */
export function queryRewriter(extensions: readonly Extension[], schema: Schema) {
  const rewriters = extensions.flatMap(({ rewriteQuery }) => rewriteQuery?.makeRewriter?.(schema) ?? [])
  if (rewriters.length === 0) return null
  return (given: RawObject, model: Model) => {
    const parts: RewrittenQuery[] = []
    let raw = given
    try {
      for (const rewrite of rewriters) {
        const rewritten = rewrite(raw, model)
        if (rewritten === null) continue
        parts.push(rewritten)
        raw = rewritten.raw ?? raw
      }
    } catch (error) {
      raiseHostError(error)
    }
    return {
      // Null: the text of the client, because limits count its letters, and as an object it may be longer.
      raw: parts.some((part) => part.raw !== undefined) ? raw : null,
      isOfHost: parts.some(({ isOfHost }) => isOfHost === true),
      bases: parts.flatMap(({ base }) => base ?? []),
      errorFor: (error: RequestError) => parts.reduceRight((last, { errorFor }) => errorFor(last), error),
    }
  }
}

/** The first extension that gives a text another meaning. */
export function textMatcher(extensions: readonly Extension[], database: Database): MatchText {
  const matchers = extensions.flatMap(({ textMatching }) => textMatching?.makeMatcher(database) ?? [])
  return (...asked) => matchers.map((match) => match(...asked)).find((found) => found !== null) ?? null
}

/** The changes of all extensions in the rows of a plan; null if none changes rows. */
export function rowChanges(extensions: readonly Extension[], plan: Compiled): ChangeRows | null {
  const changes = extensions.flatMap(({ afterRead }) => afterRead?.(plan) ?? [])
  if (changes.length === 0) return null
  return async (loaded) => {
    try {
      for (const change of changes) await change(loaded)
    } catch (error) {
      throw new HostError(error)
    }
  }
}

const isRoute = (value: unknown): boolean =>
  isTable(value) && String(value['path']).startsWith('/') && ('right' in value || 'handler' in value)

const asFunction = { fits: isFunction, problem: 'each hook of an extension must be a function' }
const asTable = { fits: isTable, problem: 'this key of an extension must be an object' }

const memberChecks: Readonly<Record<keyof Extension, ValueCheck>> = {
  name: { fits: isText, problem: 'the name must be a string' },
  ...{ check: asFunction, withholds: asFunction, afterRead: asFunction, start: asFunction },
  ...{ missingIndexes: asFunction, defaults: asTable, observe: asTable, rewriteQuery: asTable },
  ...{ listReading: asTable, textMatching: asTable },
  routes: {
    fits: (value) => Array.isArray(value) && value.every(isRoute),
    problem: `the routes of an extension must be a list such as [{ path: '/…', handler }]`,
  },
}

/** The type whose paths come first. */
function ownerOf(path: string, { models }: Schema): Uid | undefined {
  const [, first = '', entry] = /^\/([^/]+)(\/[^/]+|\/by\/[^/]+\/[^/]+)?$/.exec(path) ?? []
  const owner = [...models.values()].find(({ route }) => route?.toLowerCase() === first)
  return owner?.kind === 'singleType' && entry !== undefined ? undefined : owner?.uid
}

/** Requests would reach the first of two routes alone. A type of the host may hide a type that an extension reads. */
function faultsOfPaths(extensions: readonly Extension[], schema: Schema | undefined): Fault[] {
  const owners = new Map<string, string>()
  return extensions.flatMap(({ name, routes = [] }) =>
    routes.flatMap((route): Fault[] => {
      const path = route.path.toLowerCase().replace(/(?<=.)\/$/, '')
      const type = isReadRoute(route) || schema === undefined ? undefined : ownerOf(path, schema)
      const owner = owners.get(path) ?? type
      owners.set(path, owner ?? name)
      if (owner === undefined) return []
      return faultAt('extensions', `${owner} and ${name} both serve the path ${route.path}`)
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
  if (!Array.isArray(extensions)) return faultAt('extensions', 'the value must be a list', remedy)
  const names = new Set<string>()
  const faults = extensions.flatMap((one: unknown, index): Fault[] => {
    const where = `extensions[${String(index)}]`
    if (typeof one === 'function')
      return faultAt(where, 'the value is a function', `call the function: ${one.name}()`)
    if (!isTable(one)) return faultAt(where, 'the value is not an extension', remedy)
    if (!('name' in one)) return faultAt(where, 'an extension must have a name')
    const extension = one as object as Extension
    if (names.has(extension.name)) return faultAt(where, `${extension.name} is listed twice`)
    names.add(extension.name)
    const own = isFunction(extension.check) ? (extension.check?.(config, core) ?? []) : []
    const ofMembers = faultsOfValues(where, one, memberChecks)
    if (own.length > 0) return [...own]
    return ofMembers.length > 0 ? ofMembers : faultsOfDefaults(where, extension)
  })
  return faults.length > 0 ? faults : faultsOfPaths(extensions as readonly Extension[], core?.schema)
}

/** Types that extensions withhold, whatever the permissions grant. An unknown one would withhold nothing. */
export function withheldTypes(
  extensions: readonly Extension[],
  schema: Schema,
  logger: Logger,
): ReadonlySet<Uid> {
  const uids = [...schema.models.keys()]
  const withheld = extensions.flatMap(({ name, withholds }) =>
    (withholds?.(schema, logger) ?? []).map((uid) => {
      if (uids.includes(uid)) return uid
      throw new ConfigError(faultAt(`${name}.withholds`, `there is no type ${uid}`, didYouMean(uid, uids)))
    }),
  )
  return new Set(withheld)
}
