import {
  bindAsker,
  type BoundAsker,
  type GivenPermissions,
  type GrantedByRight,
  type Grants,
  grantedByKey,
  grantedByRight,
  type Identity,
  makeGranting,
  canUseRoute,
  nothingKnown,
  type RouteRight,
  makeRuleOn,
  withDrafts,
} from '../access'
import { dialectOf } from '../sql'
import { type FilledOptions, isPermissionsSource, isRoleSource, type RoleLimits } from '../config'
import type { Database } from '../database'
import type { ReadState } from '../freshness'
import { readAgain, whileBusy } from '../read'
import { makeMemory, once } from '../memory'
import type { Model } from '../schema'
import { raiseLoadError } from './errors'
import type { CoreRights, CoreSettings, ReadRoute, RouteManner } from './extension'
import { limitsOf, planSettings, type ResponseLimits } from './limits'
import { headersOf } from './send'
import type { Settings } from './settings'

/** Grants and limits of a request, and the state of the database. */
export interface Rights extends CoreRights {
  /** `findOne` if the right of an extension's route narrows the grants to it; null: the query decides the action. */
  readonly narrowedAction: 'findOne' | null
  /** Values of the caller, for rules. */
  readonly asker: BoundAsker
  /** Reads the state of the database, once for this request. */
  readonly state: ReadState
  /** True if the caller has the role `public` alone. */
  readonly isPublic: boolean
  /** True if rules compare with values of the caller: another caller of the same role gets a different response. */
  readonly isPersonal: boolean
}

/** Tokens have no role, and unlisted roles have the common limits. */
export function makeLimiting(options: FilledOptions): (identity: Identity) => ResponseLimits {
  const { limitsByRole } = options
  const common = limitsOf(options, [])
  if (Object.keys(limitsByRole).length === 0) return () => common
  // Memory is bounded, as a host may take the set of roles from what a client sends.
  const known = makeMemory<ResponseLimits>({ maxBytes: 1024 * 1024, bytesOf: () => 1000 })
  const ofRole = (role: string): RoleLimits =>
    Object.hasOwn(limitsByRole, role) ? (limitsByRole[role] ?? {}) : {}
  return (identity) => {
    if (identity.kind === 'token') return common
    return once(known, JSON.stringify(identity.roles), () => limitsOf(options, identity.roles.map(ofRole)))
  }
}

/** Each missing value is logged once. */
function warnOfMissing({ logger }: Settings): Parameters<typeof bindAsker>[2] {
  const logged = new Set<string>()
  return ({ asker, type }) => {
    if (logged.has(asker)) return
    logged.add(asker)
    const remedy = `return the value from the option role: (req) => ({ roles: […], asker: { ${asker}: … } })`
    logger.warn(
      { asker, type, remedy },
      'a permission rule grants no rows, because a value of the caller is missing or has the wrong type',
    )
  }
}

function permissionReader(
  settings: Settings,
  database: Database,
): (state: ReadState) => Promise<GivenPermissions> {
  const { permissions, schema, timeout, areDraftsOpen } = settings
  if (!isPermissionsSource(permissions)) return () => Promise.resolve({ by: 'host', granted: permissions })
  const read = permissions.open(database, { areDraftsOpen, hasTokens: isRoleSource(settings.role) })
  const ruleOn = makeRuleOn(permissions.rules, schema)
  return async (state) => {
    const now = await state()
    const reading = whileBusy(() => readAgain(database, () => read(now)), { patience: timeout })
    return { by: 'source', granted: await reading.catch(raiseLoadError), ruleOn }
  }
}

export function makeReadRights(settings: Settings, database: Database) {
  const { schema, permissions, headers } = settings
  const rules = planSettings(settings, schema, dialectOf(database))
  const granting = makeGranting(rules, typeof permissions !== 'function')
  const readPermissions = permissionReader(settings, database)
  const limiting = makeLimiting(settings)
  const reportMissing = warnOfMissing(settings)
  const known = new WeakMap<GivenPermissions['granted'], Map<RouteRight | null, GrantedByRight>>()
  /** `right`: of a route of an extension. */
  return async (identity: Identity, state: ReadState, right: RouteRight | null = null): Promise<Rights> => {
    const given = await readPermissions(state)
    const byRight = once(known, given.granted, () => new Map<RouteRight | null, GrantedByRight>())
    const { granted: narrowed, isNarrowed } = once(byRight, right, () => grantedByRight(given, right))
    const granted = granting(narrowed, withDrafts(given, identity))
    const ofRoles = identity.kind === 'roles' ? identity : null
    const { grants, asker } = bindAsker(granted, ofRoles?.asker ?? nothingKnown, reportMissing)
    return {
      grants,
      narrowedAction: isNarrowed ? 'findOne' : null,
      asker,
      limits: limiting(identity),
      state,
      isPublic: ofRoles?.roles.every((role) => role === 'public') ?? false,
      // With the option `shared`, the values are the same for all callers, such as the day.
      isPersonal: [...granted.personalTypes].some((model) => headersOf(headers, model).shared !== true),
      mayAsk: (asked) => canUseRoute(given, identity, asked),
      readingGrants: (model, name) => grantedByKey(given, identity, model, name),
      user: ofRoles?.user ?? null,
    }
  }
}

export const mayRead = (
  { withheld }: CoreSettings,
  grants: Pick<Grants, 'may'>,
  ...[model, action]: Parameters<Grants['may']>
): boolean => !withheld.has(model.uid) && grants.may(model, action)

export const mayReadBy = (
  settings: CoreSettings,
  { grants, readingGrants }: CoreRights,
  model: Model,
  { action, reading }: Pick<ReadRoute, 'action'> & Pick<RouteManner, 'reading'>,
): boolean =>
  mayRead(settings, grants, model, action) &&
  (reading === undefined || readingGrants(model, reading.name).length > 0)

export const mayName = (settings: CoreSettings, grants: Grants, model: Model): boolean =>
  model.open || (['find', 'findOne'] as const).some((action) => mayRead(settings, grants, model, action))
