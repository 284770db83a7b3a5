import type {
  MayDo,
  PermissionReading,
  PermissionsSource,
  RulesOfRoles,
  StoredPermissions,
} from '../../lib/config'
import type { Database } from '../../lib/database'
import type { Fault } from '../../lib/errors'
import { remember } from '../../lib/freshness'
import { didYouMean, faultsOfUnknown, faultsOfValues } from '../../lib/schema'
import { maxAgeCheck } from './api-tokens'

/** Contains the options of `fromDatabase`. */
export interface FromDatabaseOptions {
  /**
   * Sets the time for which the grants are cached, in milliseconds.
   * @default 5_000
   */
  readonly maxAge?: number
  /**
   * Restricts the grants of a role to some entries and attributes: `{ authenticated: { order: { where: { … } } } }`.
   * @default {}
   */
  readonly rules?: RulesOfRoles
}

/** Reads the permissions of Strapi's users-permissions plugin. */
export interface StrapiPermissions extends PermissionsSource {
  /**
   * Returns a copy with an additional role that can read everything. The database does not contain the additional role.
   */
  readonly withUnlimited: (role: string) => StrapiPermissions
}

const permissionTables = {
  up_permissions: ['id', 'action'],
  up_permissions_role_lnk: ['permission_id', 'role_id'],
  up_roles: ['id', 'type'],
} as const

interface StoredGrant {
  readonly role: string
  readonly action: string
}

const tokenActions = 'strapi_api_token_permissions'

async function readGranted(
  { knex }: Database,
  { areDraftsOpen, hasTokens }: PermissionReading,
  unlimited?: string,
): Promise<StoredPermissions> {
  const rows: readonly StoredGrant[] = await knex('up_permissions as permission')
    .join('up_permissions_role_lnk as link', 'link.permission_id', 'permission.id')
    .join('up_roles as role', 'role.id', 'link.role_id')
    .select('role.type as role', 'permission.action as action')
  const drafts = knex<StoredGrant>(tokenActions).where('action', 'like', '%.readDraft').select('action')
  // Strapi releases with `readDraft` reject drafts without it. A project may have granted it to a token alone.
  const isByAction = [...rows, ...(hasTokens ? await drafts : [])].some(({ action }) =>
    action.endsWith('.readDraft'),
  )
  const mayReadDrafts = (may: MayDo): boolean =>
    isByAction ? may('readDraft') : areDraftsOpen || may('drafts')
  const granted = new Set(rows.map(({ role, action }) => `${role} ${action}`))
  const isGranted = (role: string, uid: string, action: string): boolean =>
    role === unlimited || granted.has(`${role} ${uid}.${action}`)
  const mayDo = (role: string, uid: string, action: string): boolean =>
    action === 'drafts' ? mayReadDrafts((own) => isGranted(role, uid, own)) : isGranted(role, uid, action)
  return Object.assign(mayDo, { mayReadDrafts })
}

/** Rules of an unknown role would have no effect. */
async function faultsOfRoles({ knex }: Database, rules: RulesOfRoles): Promise<readonly Fault[]> {
  const named = Object.keys(rules)
  if (named.length === 0) return []
  const rows = await knex<{ readonly type: string | null }>('up_roles').select('type')
  const known = rows.flatMap(({ type }) => type ?? [])
  return named
    .filter((role) => !known.includes(role))
    .map((role) => ({
      where: `permissions.rules.${role}`,
      problem: `the table up_roles contains no role of the type ${role}`,
      remedy: didYouMean(role, known),
    }))
}

const names: Readonly<Record<keyof FromDatabaseOptions, true>> = { maxAge: true, rules: true }

const asked = {
  by: 'fromDatabase()',
  instead: `write the permissions as permissions: { public: { find: ['article'] } }`,
}

function makePermissions(options: FromDatabaseOptions, unlimited?: string): StrapiPermissions {
  const { maxAge = 5000, rules = {} } = options
  return {
    check: () => [
      ...faultsOfUnknown('permissions', options, names),
      ...faultsOfValues('permissions', { maxAge }, { maxAge: maxAgeCheck }),
    ],
    reads: Object.entries(permissionTables).map(([table, columns]) => ({ table, columns, ...asked })),
    rules,
    open: (database, reading) => {
      const tables = [...Object.keys(permissionTables), ...(reading.hasTokens ? [tokenActions] : [])]
      return remember(() => readGranted(database, reading, unlimited), maxAge, new Set(tables))
    },
    checkStored: (database) => faultsOfRoles(database, rules),
    withUnlimited: (role) => makePermissions(options, role),
  }
}

/**
 * Creates the value for the option `permissions`, which reads the grants in Strapi's database. The name of a role is
 * the type of the role in Strapi: `public`, `authenticated`.
 */
export const fromDatabase = (options: FromDatabaseOptions = {}): StrapiPermissions => makePermissions(options)

export const isFromDatabase = (permissions: unknown): permissions is StrapiPermissions =>
  typeof permissions === 'object' && permissions !== null && 'withUnlimited' in permissions
