import { type Grants, type Identity, makeGranting, readPermissions } from '../access'
import type { PermissionFunction, PermissionTable } from '../config'
import type { Database } from '../database'
import type { AskState } from '../freshness'
import { readAgain, whileBusy } from '../load'
import { raiseLoadError } from './errors'
import { type AnswerLimits, makeLimiting } from './limits'
import type { Settings } from './settings'

/** What a request may read, what that may cost, and the state of the database as it came. */
export interface Rights {
  readonly grants: Grants
  readonly limits: AnswerLimits
  /** Which state the database is in as this request is answered. */
  readonly state: AskState
  /** Has the rights of strangers, and no more. */
  readonly isPublic: boolean
}

export type ReadRights = (identity: Identity, state: AskState) => Promise<Rights>

const isPublic = (identity: Identity): boolean =>
  identity.kind === 'roles' && identity.roles.every((role) => role === 'public')

function permissionReader(
  settings: Settings,
  database: Database,
): (state: AskState) => Promise<PermissionTable | PermissionFunction> {
  const { permissions } = settings
  if (typeof permissions === 'object' && permissions['source'] === 'database') {
    const read = readPermissions(database, permissions as Parameters<typeof readPermissions>[1])
    return async (state) => {
      const now = await state()
      return whileBusy(() => readAgain(database, () => read(now)), {
        patience: settings.timeout,
      }).catch(raiseLoadError)
    }
  }
  return () => Promise.resolve(permissions as PermissionTable | PermissionFunction)
}

export function rightsReader(settings: Settings, database: Database): ReadRights {
  const permissions = permissionReader(settings, database)
  const limiting = makeLimiting(settings)
  const granting = makeGranting(settings.schema, typeof settings.permissions !== 'function')
  return async (identity, state) => ({
    grants: granting(await permissions(state), identity),
    limits: limiting(identity),
    state,
    isPublic: isPublic(identity),
  })
}
