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
import type { AskState } from '../freshness'
import { readAgain, whileBusy } from '../read'
import { once } from '../memory'
import { type Model, userUid } from '../schema'
import { headersOf } from './cache-headers'
import { raiseLoadError } from './errors'
import { type Limiting, makeLimiting } from './limits'
import type { CoreSettings } from './extension'
import type { CoreRights } from './read-route'
import { ruleSettings } from './rule-settings'
import type { Settings } from './settings'

/** Grants and limits of a request, and the state of the database. */
export interface Rights extends CoreRights {
  /** `findOne` if the right of an extension's route narrows the grants to it; null: the query decides the action. */
  readonly doing: 'findOne' | null
  /** Values of the caller, for rules. */
  readonly asker: BoundAsker
  /** Reads the state of the database, once for this request. */
  readonly state: AskState
  /** True if the caller has the role `public` alone. */
  readonly isPublic: boolean
  /** True if rules compare with values of the caller: another caller of the same role gets a different response. */
  readonly isPersonal: boolean
}

const isPublic = (identity: Identity): boolean =>
  identity.kind === 'roles' && identity.roles.every((role) => role === 'public')

/** A host that forgot to tell it hears so once; what strangers lack is nothing new. */
function missingTeller(logger: Logger): Parameters<typeof bindAsker>[2] {
  const told = new Set<string>()
  return ({ asker, type }) => {
    if (told.has(asker)) return
    told.add(asker)
    const remedy = `role: (req) => ({ roles: […], asker: { ${asker}: … } })`
    logger.warn(
      { asker, type, remedy },
      'A rule compares with a value of whoever asks that is not known of them, or of another kind: it grants nothing',
    )
  }
}

function permissionReader(
  settings: Settings,
  database: Database,
): (state: AskState) => Promise<GivenPermissions> {
  const { permissions } = settings
  if (isPermissionsSource(permissions)) {
    const read = permissions.open(database, {
      areDraftsOpen: settings.areDraftsOpen,
      hasTokens: isRoleSource(settings.role),
    })
    const ruleOn = makeRuleOn(permissions.rules, settings.schema)
    return async (state) => {
      const now = await state()
      const reading = whileBusy(() => readAgain(database, () => read(now)), { patience: settings.timeout })
      return { by: 'source', granted: await reading.catch(raiseLoadError), ruleOn }
    }
  }
  const granted = permissions
  return () => Promise.resolve({ by: 'host', granted })
}

export interface RightsSource {
  readonly settings: Settings
  readonly permissions: ReturnType<typeof permissionReader>
  readonly limiting: Limiting
  readonly granting: ReturnType<typeof makeGranting>
  readonly warnOfMissing: ReturnType<typeof missingTeller>
  readonly known: WeakMap<GivenPermissions['granted'], Map<RouteRight | null, GrantedByRight>>
}

export function makeRightsSource(settings: Settings, database: Database): RightsSource {
  const rules = ruleSettings(settings, settings.schema, dialectOf(database))
  return {
    settings,
    permissions: permissionReader(settings, database),
    limiting: makeLimiting(settings),
    granting: makeGranting(rules, typeof settings.permissions !== 'function'),
    warnOfMissing: missingTeller(settings.logger),
    known: new WeakMap(),
  }
}

/** `right`: of a route of an extension. */
export async function readRights(
  source: RightsSource,
  identity: Identity,
  state: AskState,
  right: RouteRight | null = null,
): Promise<Rights> {
  const { settings, granting, limiting, warnOfMissing } = source
  const given = await source.permissions(state)
  const values = identity.kind === 'roles' ? identity.asker : nothingKnown
  const { granted: narrowed, isNarrowed } = grantedBy(source, given, right)
  const granted = granting(narrowed, withDrafts(given, identity))
  const { grants, asker } = bindAsker(granted, values, warnOfMissing)
  return {
    grants,
    doing: isNarrowed ? 'findOne' : null,
    asker,
    limits: limiting(identity),
    state,
    isPublic: isPublic(identity),
    // Of a type that is shared the host says that such values are the same for all, as the day is.
    isPersonal: [...granted.personalTypes].some(
      (model) => headersOf(settings.headers, model).shared !== true,
    ),
    mayAsk: (right) => canUseRoute(given, identity, right),
    user: identity.kind === 'roles' ? (identity.user ?? null) : null,
  }
}

function grantedBy(
  { known }: RightsSource,
  given: GivenPermissions,
  right: RouteRight | null,
): GrantedByRight {
  const byRight = once(known, given.granted, () => new Map<RouteRight | null, GrantedByRight>())
  return once(byRight, right, () => grantedByRight(given, right))
}

/** A grant of all types opens users where entries lead to them, and no list of them. */
const listsUsers = {
  controller: 'plugin::users-permissions.user',
  action: 'find',
  type: userUid,
  as: 'find',
} as const

/** Which rows of a type a role sees: all, published ones, or none that are known without a query, as of types with rules. */
export type ShownRows = (model: Model) => 'all' | 'published' | 'none'

export function shownRowsOf(settings: CoreSettings, rights: CoreRights): ShownRows {
  const { grants } = rights
  const asked = grants.clientQueries ?? grants
  return (model) => {
    if (model.open || model.kind === 'component') return 'none'
    if (model.uid === userUid && !rights.mayAsk(listsUsers)) return 'none'
    // Of what no list shows the id may be what guards it.
    if (!mayRead(settings, asked, model, 'find') || asked.rules(model, 'find') !== null) return 'none'
    if (!model.draftAndPublish) return 'all'
    const mayAsk = settings.drafts === 'open' || asked.may(model, 'drafts')
    return mayAsk && asked.rules(model, 'drafts') === null ? 'all' : 'published'
  }
}

type ServedReads = Pick<CoreSettings, 'withheld'>

export const mayRead = (
  { withheld }: ServedReads,
  grants: Pick<Grants, 'may'>,
  ...[model, action]: Parameters<Grants['may']>
): boolean => !withheld.has(model.uid) && grants.may(model, action)

export const mayName = (settings: ServedReads, grants: Grants, model: Model): boolean =>
  model.open || (['find', 'findOne'] as const).some((action) => mayRead(settings, grants, model, action))
