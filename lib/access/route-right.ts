import type {
  Grant,
  Identity,
  PermissionFunction,
  PermissionTable,
  ReadAction,
  Rule,
  RulesOfRoles,
  StoredPermissions,
} from '../config'
import { modelNamed, type Schema, userUid } from '../schema'
import { ruleOfHostAnswer } from './host-answer'
import { namesTypes } from './permissions'

/** What a route of an extension asks for. */
export interface RouteRight {
  /** As a database keeps it: `plugin::i18n.locales` and `listLocales`. */
  readonly controller: string
  readonly action: string
  /** What a host grants in its place, which knows types alone; null where no type stands for it. */
  readonly type: string | null
  readonly as: ReadAction
}

/** How far the host's rules let a role go, whatever the database grants. */
type RuleOn = (role: string, uid: string) => boolean | Rule

export const makeRuleOn =
  (rules: RulesOfRoles, schema: Schema): RuleOn =>
  (role, uid) => {
    const named = Object.entries(Object.hasOwn(rules, role) ? (rules[role] ?? {}) : {})
    const [, rule = true] = named.find(([name]) => modelNamed(schema, name)?.uid === uid) ?? []
    return rule
  }

/** Read from the database, and narrowed by the host. */
interface NarrowedPermissions {
  readonly by: 'source'
  readonly granted: StoredPermissions
  readonly ruleOn: RuleOn
}

/** Whose permissions say it: a source's or the host's own. */
export type GivenPermissions =
  NarrowedPermissions | { readonly by: 'host'; readonly granted: PermissionTable | PermissionFunction }

type TypeRight = RouteRight & { readonly type: string }

const byRight = (
  { granted, ruleOn }: NarrowedPermissions,
  role: string,
  { controller, action, type }: RouteRight,
): boolean | Rule => granted(role, controller, action) && (type === null || ruleOn(role, type))

/**
 * What roles may read by a route with this right. It stands in the place of `findOne` of its type: there are rights to lists
 * and counts that show no entries where others lead to them.
 */
const grantedBySource =
  (permissions: NarrowedPermissions, right: RouteRight | null): PermissionFunction =>
  (role, uid, action) => {
    if (right?.type === uid && action === 'findOne') return byRight(permissions, role, right)
    const rule = permissions.ruleOn(role, uid)
    // Of drafts the rule of `find` holds, too.
    return permissions.granted(role, uid, action) && (action === 'drafts' ? rule !== false : rule)
  }

const isOfType = (right: RouteRight): right is TypeRight => right.type !== null

/** `'*'` stands for content: that it opens the list of all users as well is to be said by name. */
function listedBy(grant: Grant, { type, as }: Pick<TypeRight, 'type' | 'as'>): boolean | Rule {
  const listed = as === 'findOne' ? (grant.findOne ?? grant.find) : grant.find
  if (listed === undefined || listed === '*') return listed === '*' && type !== userUid
  if (namesTypes(listed)) return listed.includes(type)
  return (Object.hasOwn(listed, type) && listed[type]) ?? false
}

/** Whether a grant opens a route of the type. */
export const isListedBy = (grant: Grant, type: string): boolean =>
  (['find', 'findOne'] as const).some((as) => listedBy(grant, { type, as }) !== false)

/** The same of a host's table: what a role shows where entries lead there is none of this route, whoever else opens it. */
const grantedByTable = (table: PermissionTable, right: TypeRight): PermissionTable =>
  Object.fromEntries(
    Object.entries(table).map(([role, grant]) => [
      role,
      { ...grant, findOne: { [right.type]: listedBy(grant, right) } },
    ]),
  )

/** `isNarrowed`: what the route reads stands in the place of `findOne` of its type. */
export interface GrantedByRight {
  readonly granted: PermissionTable | PermissionFunction
  readonly isNarrowed: boolean
}

/** What roles may read by a route with this right; null: by any other. */
export function grantedByRight(given: GivenPermissions, right: RouteRight | null): GrantedByRight {
  if (given.by === 'source') return { granted: grantedBySource(given, right), isNarrowed: right !== null }
  const { granted } = given
  if (right === null || !isOfType(right) || typeof granted === 'function')
    return { granted, isNarrowed: false }
  return { granted: grantedByTable(granted, right), isNarrowed: true }
}

function isGranted(permissions: GivenPermissions, role: string, right: RouteRight): boolean {
  if (permissions.by === 'source') return byRight(permissions, role, right) !== false
  const { granted } = permissions
  if (!isOfType(right)) return false
  if (typeof granted === 'object')
    return Object.hasOwn(granted, role) && listedBy(granted[role] ?? {}, right) !== false
  return ruleOfHostAnswer('permissions', granted(role, right.type, right.as)) !== false
}

/** The same identity, with the drafts that its token opens where a source has the permissions. */
export function withDrafts(permissions: GivenPermissions, identity: Identity): Identity {
  if (permissions.by !== 'source' || identity.kind !== 'token') return identity
  const { mayReadDrafts } = permissions.granted
  return {
    ...identity,
    may: (uid, action) =>
      action === 'drafts' ? mayReadDrafts((own) => identity.may(uid, own)) : identity.may(uid, action),
  }
}

/** Of several roles any will do. A token brings its own rights, whatever the permissions say. */
export function mayUseRoute(permissions: GivenPermissions, identity: Identity, right: RouteRight): boolean {
  if (identity.kind === 'token') return identity.may(right.controller, right.action)
  return identity.roles.some((role) => isGranted(permissions, role, right))
}
