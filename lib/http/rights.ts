import { type Grants, type Identity, makeGranting, readPermissions } from '../access'
import type { PermissionFunction, PermissionTable } from '../config'
import type { Database, Now } from '../database'
import { whileBusy } from '../load'
import { raiseLoadError } from './errors'
import { type AnswerLimits, makeLimiting } from './limits'
import type { Settings } from './settings'

/** What whoever asks may read, what that may cost, and when he asks. */
export interface Rights {
  readonly grants: Grants
  readonly limits: AnswerLimits
  readonly now: Now
  /** Nobody is let in on more than everybody is. */
  readonly isPublic: boolean
}

export type ReadRights = (identity: Identity, now: Now) => Promise<Rights>

const isPublic = (identity: Identity): boolean =>
  identity.kind === 'roles' && identity.roles.every((role) => role === 'public')

function permissionReader(
  settings: Settings,
  database: Database,
): (now: Now) => Promise<PermissionTable | PermissionFunction> {
  const { permissions } = settings
  if (typeof permissions === 'object' && permissions['source'] === 'database') {
    const read = readPermissions(database, permissions as Parameters<typeof readPermissions>[1])
    return async (now) => {
      const moment = await now.ask()
      return whileBusy(() => read(moment), { patience: settings.timeout }).catch(raiseLoadError)
    }
  }
  return () => Promise.resolve(permissions as PermissionTable | PermissionFunction)
}

export function rightsReader(settings: Settings, database: Database): ReadRights {
  const permissions = permissionReader(settings, database)
  const limiting = makeLimiting(settings)
  const granting = makeGranting(settings.schema, typeof settings.permissions !== 'function')
  return async (identity, now) => ({
    grants: granting(await permissions(now), identity),
    limits: limiting(identity),
    now,
    isPublic: isPublic(identity),
  })
}
