import type { DatabasePermissions, PermissionsOption, Rule, RulesOfRoles } from '../config'
import type { Database } from '../database'
import type { Fault } from '../errors'
import { remember, type Remembered } from '../freshness'
import { didYouMean, modelNamed, type Schema } from '../schema'

export interface FromDatabaseOptions {
  /**
   * How long, in milliseconds, what the database grants is taken as known.
   * @default 5_000
   */
  readonly maxAge?: number
  /**
   * Of what the database grants to a role, which entries and attributes: `{ authenticated: { order: { where: { … } } } }`.
   * @default {}
   */
  readonly rules?: RulesOfRoles
}

/** Whether roles and what they may do are known to the database alone. */
export const isFromDatabase = (permissions: PermissionsOption): permissions is DatabasePermissions =>
  typeof permissions === 'object' && permissions['source'] === 'database'

/** Roles are named by their type: `public`, `authenticated`. */
export function fromDatabase(options: FromDatabaseOptions = {}): DatabasePermissions {
  const { maxAge = 5000, rules = {}, ...others } = options
  // What is no option is refused with all other faults.
  return { ...others, source: 'database', maxAge, rules }
}

/** What `readGranted` looks into. */
export const permissionTables = {
  up_permissions: ['id', 'action'],
  up_permissions_role_lnk: ['permission_id', 'role_id'],
  up_roles: ['id', 'type'],
} as const

interface StoredGrant {
  readonly role: string
  readonly action: string
}

/** Strapi's own actions, those of its plugins too: `plugin::i18n.locales` and `listLocales`. */
export type StoredPermissions = (role: string, uid: string, action: string) => boolean

async function readGranted({ knex }: Database, unlimited?: string): Promise<StoredPermissions> {
  const rows = await knex<StoredGrant>('up_permissions as permission')
    .join('up_permissions_role_lnk as link', 'link.permission_id', 'permission.id')
    .join('up_roles as role', 'role.id', 'link.role_id')
    .select('role.type as role', 'permission.action as action')
  const granted = new Set((rows as readonly StoredGrant[]).map(({ role, action }) => `${role} ${action}`))
  return (role, uid, action) => role === unlimited || granted.has(`${role} ${uid}.${action}`)
}

export function readPermissions(
  database: Database,
  { maxAge, unlimited }: DatabasePermissions,
): Remembered<StoredPermissions> {
  const tables = new Set(Object.keys(permissionTables))
  return remember(() => readGranted(database, unlimited), maxAge, tables)
}

/** Rules of roles that there are not, which would narrow nothing. */
export async function faultsOfRoles(
  { knex }: Database,
  { rules = {} }: DatabasePermissions,
): Promise<Fault[]> {
  const named = Object.keys(rules)
  if (named.length === 0) return []
  const rows = await knex<{ readonly type: string | null }>('up_roles').select('type')
  const known = rows.flatMap(({ type }) => type ?? [])
  return named
    .filter((role) => !known.includes(role))
    .map((role) => ({
      where: `permissions.rules.${role}`,
      problem: `there is no role of the type ${role} in up_roles`,
      remedy: didYouMean(role, known),
    }))
}

/** How far the host's rules let a role go, whatever the database grants. */
export type RuleOn = (role: string, uid: string) => boolean | Rule

export const makeRuleOn =
  (rules: RulesOfRoles, schema: Schema): RuleOn =>
  (role, uid) => {
    const named = Object.entries(Object.hasOwn(rules, role) ? (rules[role] ?? {}) : {})
    const [, rule = true] = named.find(([name]) => modelNamed(schema, name)?.uid === uid) ?? []
    return rule
  }
