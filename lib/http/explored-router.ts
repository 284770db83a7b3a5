import type { Request } from 'express'
import { grantedByKey, type Identity, identityGiven, makeGranting } from '../access'
import { fillOptions, loggerOf, type PermissionTable, type Role, type RoleFunction } from '../config'
import { type Database, poolOf, poolSize } from '../database'
import { ConfigError, UnavailableError, type UnavailableReason } from '../errors'
import { type ResponseOptions, shownTypes, type ShownType } from '../describe'
import { readStateOnce, remember } from '../freshness'
import { ownConnection, unprepared } from '../read'
import type { Schema } from '../schema'
import { readFacts } from '../tables'
import { makeIdentify } from './authorize'
import type { CoreRights, CoreSettings } from './extension'
import { planSettings } from './limits'
import type { InFlight } from './queue'
import { LoadError } from './errors'
import { addedQueries, grantedReadings, withheldTypes } from './run-extensions'
import { type ContentRouterConfig, type Settings, silentLogger, unrestricted } from './settings'
import { settleRouter, type Settling } from './settle'

const known = new WeakMap<object, ExploredRouter>()

/** Throws a `ConfigError` if `router` is no content router. `where` names the function that has this argument. */
export function exploredRouter(where: string, router: object): ExploredRouter {
  const explored = known.get(router)
  if (explored !== undefined) return explored
  const problem = `the first argument of ${where}() must be a router of express-content-router`
  const remedy =
    'pass the result of contentRouter(config). Import both functions from the same copy of express-content-router'
  throw new ConfigError([{ where, problem, remedy }])
}

/** Null if the database answers in time, or if the pool is busy. Otherwise the reason, which is logged. */
async function reachDatabase(
  { answerError, outages }: Settings,
  database: Database,
  timeout: number,
): Promise<UnavailableReason | null> {
  // Other processes are as busy as this one, which therefore stays in service.
  if ((poolOf(database).numUsed?.() ?? 0) >= poolSize(database)) return null
  try {
    await ownConnection(database, unprepared, timeout)((run) => run('select 1'))
    outages.served()
    return null
  } catch (error) {
    // A pool with free connections is no reason to wait, so the server is silent.
    const cause = error instanceof UnavailableError ? { name: error.reason, code: 'ETIMEDOUT' } : error
    const { answer } = answerError(new LoadError(cause))
    return answer instanceof UnavailableError ? answer.reason : 'database'
  }
}

/** Tables of Strapi have no document ids of components. If the database cannot be read, no document id is shown. */
function asStored(type: ShownType, columns: ReadonlyMap<string, unknown> | undefined): ShownType {
  const { model, scalars } = type
  const id = scalars.get('documentId')
  if (model.kind !== 'component' || id === undefined || columns?.has(id.column.column) === true) return type
  return { ...type, scalars: new Map([...scalars].filter(([name]) => name !== 'documentId')) }
}

/** Knows the inside of a router, for functions of extensions that are given the router itself. */
export function registerExplored(
  { router, now, settled }: Settling,
  { settings, database, requests }: Readonly<{ settings: Settings; database: Database; requests: InFlight }>,
) {
  // Columns of the tables are read again after a while.
  const facts = remember(() => readFacts(database, settings.schema.schemas), 30_000)
  const explored = {
    settings,
    database,
    /** The reason why requests get a 503 now; null if the database answers within this many milliseconds. */
    unavailable: async (timeout: number) =>
      requests.isEnding() ? 'closing' : reachDatabase(settings, database, timeout),
    queueLoad: () => now().content.queue.load(),
    /** Serves the same content on the same connections to the role that the function returns, with its own cache. */
    servedTo: (role: RoleFunction) => settleRouter({ ...settings, role }, database, requests).router,
    /** The rights of a role; without one, of a caller who may read everything. */
    rightsGiven: async (role: Exclude<Role, null> | undefined) => {
      const identity: Identity = role === undefined ? unrestricted : identityGiven(role)
      const leave = requests.enter()
      try {
        const { content } = await settled()
        const rights = await content.readRights(identity, readStateOnce(content.freshness.state))
        return { settings: content.settings, rights }
      } finally {
        leave()
      }
    },
    /** The types that a role may read; without one, the caller. */
    shownTo: async (req: Request, role: Role | undefined) => {
      const { content } = await settled()
      const state = readStateOnce(content.freshness.state)
      const identity: Identity =
        role === undefined || role === null ? await makeIdentify(content)(req, state) : identityGiven(role)
      const rights = await content.readRights(identity, state)
      const read = await facts().catch(() => null)
      return typesShownTo(content.settings, rights).map((type) =>
        asStored(type, read?.tables.get(type.model.table)),
      )
    },
  }
  known.set(router, explored)
  return explored
}

export type ExploredRouter = ReturnType<typeof registerExplored>

export const typesShownTo = (
  { withheld, extensions, ...content }: Pick<CoreSettings, 'schema' | 'withheld' | 'drafts' | 'extensions'>,
  rights: Pick<CoreRights, 'grants' | 'readingGrants'>,
): readonly ShownType[] =>
  shownTypes({
    ...content,
    grants: rights.grants,
    isServed: (model) => !withheld.has(model.uid),
    readingsOf: (model) => grantedReadings(extensions, rights, model),
    rankedIn: (model) => extensions.flatMap(({ textMatching }) => textMatching?.rankedIn?.(model) ?? []),
  })

/** A role of a table; `'all'`: a caller who may read everything. */
export type Audience = 'all' | { readonly role: string; readonly table: PermissionTable }

export interface RoleTypes {
  readonly types: readonly ShownType[]
  readonly options: ResponseOptions
}

/** The types that a role may read, without a router. */
export function typesForRole(config: ContentRouterConfig, schema: Schema, audience: Audience): RoleTypes {
  const { extensions = [], logger } = config
  const options = { ...fillOptions(config), ...addedQueries(extensions) }
  const withheld = withheldTypes(extensions, schema, loggerOf(logger) ?? silentLogger)
  const granting = makeGranting(planSettings(options, schema, null), false)
  const [granted, identity] =
    audience === 'all' ? [{}, unrestricted] : [audience.table, identityGiven(audience.role)]
  const rights: Parameters<typeof typesShownTo>[1] = {
    grants: granting(granted, identity),
    readingGrants: (model, name) => grantedByKey({ by: 'host', granted }, identity, model, name),
  }
  return { options, types: typesShownTo({ schema, withheld, drafts: options.drafts, extensions }, rights) }
}
