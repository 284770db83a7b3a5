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

/** Whether an action of a type is granted. */
type MayDo = (action: string) => boolean

/** Strapi's own actions, those of its plugins too: `plugin::i18n.locales` and `listLocales`. */
export interface StoredPermissions {
  (role: string, uid: string, action: string): boolean
  readonly mayReadDrafts: (may: MayDo) => boolean
}

export interface PermissionReading {
  /** Whether drafts are open to all roles as long as Strapi has no action for them. */
  readonly areDraftsOpen: boolean
  /** Whether Strapi's API tokens are known here: then their table is read as well. */
  readonly hasTokens: boolean
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
  // Strapi releases that have `readDraft` refuse drafts without it. A project may have granted it to a token alone.
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

export function readPermissions(
  database: Database,
  { maxAge, unlimited }: DatabasePermissions,
  reading: PermissionReading,
): Remembered<StoredPermissions> {
  const tables = new Set([...Object.keys(permissionTables), ...(reading.hasTokens ? [tokenActions] : [])])
  return remember(() => readGranted(database, reading, unlimited), maxAge, tables)
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
