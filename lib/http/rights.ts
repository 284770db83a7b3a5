import {
  bindAsker,
  type BoundAsker,
  type GivenPermissions,
  type Grants,
  type Identity,
  isFromDatabase,
  makeGranting,
  mayAskPlugin,
  narrowedBy,
  nothingKnown,
  type PluginRight,
  readPermissions,
  type StoredPermissions,
} from '../access'
import type { Logger, PermissionFunction, PermissionTable, RulesOfRoles } from '../config'
import type { Database } from '../database'
import type { AskState } from '../freshness'
import { readAgain, whileBusy } from '../load'
import { once } from '../memory'
import { headersOf } from './cache-headers'
import { raiseLoadError } from './errors'
import { type AnswerLimits, makeLimiting } from './limits'
import { ruleSettings } from './rule-settings'
import type { Settings } from './settings'

/** What a request may read, what that may cost, and the state of the database as it came. */
export interface Rights {
  readonly grants: Grants
  /** What rules compare with. */
  readonly asker: BoundAsker
  readonly limits: AnswerLimits
  /** Which state the database is in as this request is answered. */
  readonly state: AskState
  /** Has the rights of strangers, and no more. */
  readonly isPublic: boolean
  /** Is shown what rules grant to whoever has values like these: others are answered differently, and who lacks them is. */
  readonly isPersonal: boolean
  /** Whether he may ask this of one of Strapi's plugins. */
  readonly mayAsk: (right: PluginRight) => boolean
  /** The number of the user, where Strapi knows him. */
  readonly user: number | null
}

export type ReadRights = (identity: Identity, state: AskState) => Promise<Rights>

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

const rulesOf = ({ permissions }: Pick<Settings, 'permissions'>): RulesOfRoles =>
  (isFromDatabase(permissions) ? permissions.rules : null) ?? {}

function permissionReader(
  settings: Settings,
  database: Database,
): (state: AskState) => Promise<GivenPermissions> {
  const { permissions } = settings
  if (isFromDatabase(permissions)) {
    const read = readPermissions(database, permissions)
    return async (state) => {
      const now = await state()
      const reading = whileBusy(() => readAgain(database, () => read(now)), { patience: settings.timeout })
      return { by: 'strapi', granted: await reading.catch(raiseLoadError) }
    }
  }
  const granted = permissions
  return () => Promise.resolve({ by: 'host', granted })
}

export function rightsReader(settings: Settings, database: Database): ReadRights {
  const permissions = permissionReader(settings, database)
  const limiting = makeLimiting(settings)
  const { schema } = settings
  const lasting = typeof settings.permissions !== 'function'
  const granting = makeGranting(ruleSettings(settings, schema, database.dialect), lasting)
  const tellMissing = missingTeller(settings.logger)
  const narrowed = new WeakMap<StoredPermissions, PermissionFunction>()
  const grantedBy = ({ by, granted }: GivenPermissions): PermissionTable | PermissionFunction =>
    by === 'host' ? granted : once(narrowed, granted, () => narrowedBy(rulesOf(settings), schema, granted))
  return async (identity, state) => {
    const given = await permissions(state)
    const known = identity.kind === 'roles' ? identity.asker : nothingKnown
    const granted = granting(grantedBy(given), identity)
    const { grants, asker } = bindAsker(granted, known, tellMissing)
    return {
      grants,
      asker,
      limits: limiting(identity),
      state,
      isPublic: isPublic(identity),
      // Of a type that is shared the host says that such values are the same for all, as the day is.
      isPersonal: [...granted.personalTypes].some(
        (model) => headersOf(settings.headers, model).shared !== true,
      ),
      mayAsk: (right) => mayAskPlugin(given, identity, right),
      user: identity.kind === 'roles' ? (identity.user ?? null) : null,
    }
  }
}
