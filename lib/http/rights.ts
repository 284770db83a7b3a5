import {
  bindAsker,
  type BoundAsker,
  type GivenPermissions,
  type GrantedByRight,
  type Grants,
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
import { isPermissionsSource, isRoleSource, type Logger } from '../config'
import type { Database } from '../database'
import type { ReadState } from '../freshness'
import { readAgain, whileBusy } from '../read'
import { once } from '../memory'
import type { Model } from '../schema'
import { headersOf } from './cache-headers'
import { raiseLoadError } from './errors'
import type { CoreRights, CoreSettings } from './extension'
import { type Limiting, makeLimiting, planSettings } from './limits'
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

type WarnOfMissing = Parameters<typeof bindAsker>[2]

/** Each missing value is logged once. */
function warnOfMissing(logger: Logger): WarnOfMissing {
  const logged = new Set<string>()
  return ({ asker, type }) => {
    if (logged.has(asker)) return
    logged.add(asker)
    const remedy = `role: (req) => ({ roles: […], asker: { ${asker}: … } })`
    logger.warn(
      { asker, type, remedy },
      'a permission rule grants no rows: a value of the caller is missing or has the wrong type',
    )
  }
}

type ReadPermissions = (state: ReadState) => Promise<GivenPermissions>

function permissionReader(settings: Settings, database: Database): ReadPermissions {
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

export interface RightsSource {
  readonly settings: Settings
  readonly permissions: ReadPermissions
  readonly limiting: Limiting
  readonly granting: ReturnType<typeof makeGranting>
  readonly warnOfMissing: WarnOfMissing
  readonly known: WeakMap<GivenPermissions['granted'], Map<RouteRight | null, GrantedByRight>>
}

export function makeRightsSource(settings: Settings, database: Database): RightsSource {
  const rules = planSettings(settings, settings.schema, dialectOf(database))
  return {
    settings,
    permissions: permissionReader(settings, database),
    limiting: makeLimiting(settings),
    granting: makeGranting(rules, typeof settings.permissions !== 'function'),
    warnOfMissing: warnOfMissing(settings.logger),
    known: new WeakMap(),
  }
}

/** `right`: of a route of an extension. */
export async function readRights(
  source: RightsSource,
  identity: Identity,
  state: ReadState,
  right: RouteRight | null = null,
): Promise<Rights> {
  const { settings, known } = source
  const given = await source.permissions(state)
  const byRight = once(known, given.granted, () => new Map<RouteRight | null, GrantedByRight>())
  const { granted: narrowed, isNarrowed } = once(byRight, right, () => grantedByRight(given, right))
  const granted = source.granting(narrowed, withDrafts(given, identity))
  const values = identity.kind === 'roles' ? identity.asker : nothingKnown
  const { grants, asker } = bindAsker(granted, values, source.warnOfMissing)
  return {
    grants,
    narrowedAction: isNarrowed ? 'findOne' : null,
    asker,
    limits: source.limiting(identity),
    state,
    isPublic: identity.kind === 'roles' && identity.roles.every((role) => role === 'public'),
    // By the option `shared` the host says that values are the same for all callers, such as the day.
    isPersonal: [...granted.personalTypes].some(
      (model) => headersOf(settings.headers, model).shared !== true,
    ),
    mayAsk: (right) => canUseRoute(given, identity, right),
    user: identity.kind === 'roles' ? (identity.user ?? null) : null,
  }
}

export const mayRead = (
  { withheld }: CoreSettings,
  grants: Pick<Grants, 'may'>,
  ...[model, action]: Parameters<Grants['may']>
): boolean => !withheld.has(model.uid) && grants.may(model, action)

export const mayName = (settings: CoreSettings, grants: Grants, model: Model): boolean =>
  model.open || (['find', 'findOne'] as const).some((action) => mayRead(settings, grants, model, action))
