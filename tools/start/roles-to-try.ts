import { isFromDatabase } from '../../lib/access'
import type {
  DatabasePermissions,
  PermissionFunction,
  PermissionsOption,
  PermissionTable,
} from '../../lib/config'
import { type Database, isUnreachable } from '../../lib/database'

/** No role of a project is called so: Strapi writes its roles without spaces. */
export const allRights = 'all rights'

/** Who may be tried, and what each of them may read. */
export interface RolesToTry {
  readonly names: readonly string[]
  readonly permissions: PermissionsOption
  /** Whether users of Strapi's are there, and tokens may speak for them. */
  readonly hasUsers: boolean
  /** Where roles that are not there would be written. */
  readonly source: 'database' | 'config'
}

/** Those of Strapi's users, by their types; null where the project has no users. */
async function rolesIn({ knex }: Database): Promise<readonly string[] | null> {
  try {
    const rows = await knex<{ readonly type: string | null }>('up_roles').select('type').orderBy('id')
    return rows.flatMap(({ type }) => (type === null ? [] : [type]))
  } catch (error) {
    if (isUnreachable(error)) throw error
    return null
  }
}

const all: PermissionTable = { [allRights]: { find: '*', drafts: '*' } }

const fromTables = (permissions: DatabasePermissions): DatabasePermissions => ({
  ...permissions,
  unlimited: allRights,
})

const besides =
  (granted: PermissionFunction): PermissionFunction =>
  (role, uid, action) =>
    role === allRights || granted(role, uid, action)

/** The roles that a configuration knows, and one more that may read all. */
export async function rolesToTry(
  permissions: PermissionsOption | undefined,
  database: Database,
): Promise<RolesToTry> {
  if (typeof permissions === 'function')
    return { names: [allRights], permissions: besides(permissions), hasUsers: false, source: 'config' }
  if (permissions === undefined || !isFromDatabase(permissions))
    return {
      names: [allRights, ...Object.keys(permissions ?? {})],
      permissions: { ...permissions, ...all },
      hasUsers: false,
      source: 'config',
    }
  const source = 'database'
  const names = await rolesIn(database)
  if (names === null) return { names: [allRights], permissions: all, hasUsers: false, source }
  return { names: [allRights, ...names], permissions: fromTables(permissions), hasUsers: true, source }
}
