import {
  type Action,
  type Grant,
  type Granted,
  type Identity,
  isTable,
  type PermissionFunction,
  type PermissionTable,
  type ReadAction,
  type Rule,
  type RulesOfRoles,
  type StoredPermissions,
} from '../config'
import { makeMemory, type Memory, once } from '../memory'
import { type Model, type Uid, modelNamed, type Schema, userUid } from '../schema'
import { isAllowedByHostResult, ruleOfHostResult } from './host-result'
import { type Grants, type GrantRule, makeGrants, readGrantRule, type RuleSettings, addRules } from './grants'

export interface RouteRight {
  /** Stored names: `plugin::i18n.locales` and `listLocales`. */
  readonly controller: string
  readonly action: string
  /** The type whose grant counts in permissions of the host; null if there is none. */
  readonly type: string | null
  readonly as: ReadAction
}

/** The host's rules narrow the grants of the database. */
type RuleOn = (role: string, uid: string) => boolean | Rule

export const makeRuleOn =
  (rules: RulesOfRoles, schema: Schema): RuleOn =>
  (role, uid) => {
    const named = Object.entries(Object.hasOwn(rules, role) ? (rules[role] ?? {}) : {})
    const [, rule = true] = named.find(([name]) => modelNamed(schema, name)?.uid === uid) ?? []
    return rule
  }

export type GivenPermissions =
  | { readonly by: 'source'; readonly granted: StoredPermissions; readonly ruleOn: RuleOn }
  | { readonly by: 'host'; readonly granted: PermissionTable | PermissionFunction }

/** `'*'` opens no list of all users; that takes the type's name. */
function listedBy(grant: Grant, type: string, as: ReadAction): boolean | Rule {
  const listed = as === 'findOne' ? (grant.findOne ?? grant.find) : grant.find
  if (listed === undefined || listed === '*') return listed === '*' && type !== userUid
  if (namesTypes(listed)) return listed.includes(type)
  return (Object.hasOwn(listed, type) && listed[type]) ?? false
}

const grantOf = (table: PermissionTable, role: string): Grant =>
  (Object.hasOwn(table, role) ? table[role] : undefined) ?? {}

export const isListedBy = (grant: Grant, type: string): boolean =>
  (['find', 'findOne'] as const).some((as) => listedBy(grant, type, as) !== false)

/** Only permissions of a source know rights without a type. */
function grantedByRoute(given: GivenPermissions, role: string, right: RouteRight): boolean | Rule {
  const { controller, action, type, as } = right
  if (given.by === 'source')
    return given.granted(role, controller, action) && (type === null || given.ruleOn(role, type))
  const { granted } = given
  if (type === null) return false
  if (typeof granted === 'function') return ruleOfHostResult('permissions', granted(role, type, as))
  return listedBy(grantOf(granted, role), type, as)
}

/** `isNarrowed`: the right of the route replaces `findOne` of its type. */
export interface GrantedByRight {
  readonly granted: Permissions
  readonly isNarrowed: boolean
}

/** The right replaces `findOne`, so that other grants of the role do not widen it. */
export function grantedByRight(given: GivenPermissions, right: RouteRight | null): GrantedByRight {
  if (given.by === 'source') {
    const granted: PermissionFunction = (role, uid, action) => {
      // Some rights to lists and counts show no linked entries.
      if (right?.type === uid && action === 'findOne') return grantedByRoute(given, role, right)
      const rule = given.ruleOn(role, uid)
      // The rule of `find` holds for drafts, too.
      return given.granted(role, uid, action) && (action === 'drafts' ? rule !== false : rule)
    }
    return { granted, isNarrowed: right !== null }
  }
  const { granted } = given
  const type = right?.type ?? null
  if (right === null || type === null || typeof granted === 'function') return { granted, isNarrowed: false }
  const narrowed = Object.entries(granted).map(([role, grant]) => {
    return [role, { ...grant, findOne: { [type]: grantedByRoute(given, role, right) } }] as const
  })
  return { granted: Object.fromEntries(narrowed), isNarrowed: true }
}

/** A token may open drafts if a source has the permissions. */
export function withDrafts(permissions: GivenPermissions, identity: Identity): Identity {
  if (permissions.by !== 'source' || identity.kind !== 'token') return identity
  const { mayReadDrafts } = permissions.granted
  return {
    ...identity,
    may: (uid, action) =>
      action === 'drafts' ? mayReadDrafts((own) => identity.may(uid, own)) : identity.may(uid, action),
  }
}

/** One of the roles is enough. A token has its own rights. */
export function canUseRoute(permissions: GivenPermissions, identity: Identity, right: RouteRight): boolean {
  if (identity.kind === 'token') return identity.may(right.controller, right.action)
  return identity.roles.some((role) => grantedByRoute(permissions, role, right) !== false)
}

/**
 * Grants of the roles for what an extension reads, by the extension's key in `permissions`. One of them is enough. An
 * object contains settings of the extension.
 */
export function grantedByKey(
  given: GivenPermissions,
  identity: Identity,
  model: Model,
  key: string,
): readonly (true | object)[] {
  if (identity.kind === 'token') return identity.may(model.uid, key) ? [true] : []
  const grantTo = (role: string): unknown => {
    if (given.by === 'source') return given.granted(role, model.uid, key)
    const { granted } = given
    if (typeof granted === 'function') return granted(role, model.uid, key as Action)
    const grant: object = grantOf(granted, role)
    return grantedIn((grant as Readonly<Record<string, Granted>>)[key], model)
  }
  return identity.roles.flatMap((role): readonly (true | object)[] => {
    const granted = grantTo(role)
    if (isTable(granted)) return [granted]
    return isAllowedByHostResult('permissions', granted) ? [true] : []
  })
}

export type Permissions = PermissionTable | PermissionFunction

/** The short name is for the host's own types: `user` must not open Strapi's users. */
const isNamed = ({ uid, singularName }: Model, name: string): boolean =>
  name === uid || (name === singularName && uid.startsWith('api::'))

const namesTypes = (granted: Granted): granted is readonly string[] => Array.isArray(granted)

function grantedIn(granted: Granted | undefined, model: Model): boolean | Rule {
  if (granted === undefined) return false
  if (granted === '*') return true
  if (namesTypes(granted)) return granted.some((name) => isNamed(model, name))
  const [, rule = false] = Object.entries(granted).find(([name]) => isNamed(model, name)) ?? []
  return rule
}

export function grantedTo(
  table: PermissionTable,
  role: string,
  model: Model,
  action: Action,
): boolean | Rule {
  const grant = grantOf(table, role)
  return grantedIn(action === 'findOne' ? (grant.findOne ?? grant.find) : grant[action], model)
}

export const isBound = (permissions: Permissions, role: string): boolean =>
  typeof permissions === 'object' && grantOf(permissions, role).queries === 'named'

type Granting = (permissions: Permissions, identity: Identity) => Grants

/** Rights of several roles add up. A token has its own rights. */
function grantsOf(settings: RuleSettings): Granting {
  const { schema } = settings
  const known = new WeakMap<Rule, Map<Uid, GrantRule>>()
  /** Rules are read once per object. */
  const read = (rule: Rule, model: Model, path: readonly string[]): GrantRule => {
    const byType = once(known, rule, () => new Map<Uid, GrantRule>())
    return once(byType, model.uid, () => readGrantRule(settings, model, rule, path))
  }
  return (permissions, identity) => {
    if (identity.kind === 'token') return makeGrants(schema, ({ uid }, action) => identity.may(uid, action))
    const granted = (role: string, model: Model, action: Action): boolean | GrantRule => {
      const isFunction = typeof permissions === 'function'
      const answer = isFunction
        ? ruleOfHostResult('permissions', permissions(role, model.uid, action))
        : grantedTo(permissions, role, model, action)
      if (typeof answer === 'boolean') return answer
      const place = ['permissions', role, action, model.uid]
      // A rule of a function is read once for all roles.
      return { ...read(answer, model, isFunction ? ['permissions'] : place), places: [place.join('.')] }
    }
    const grantsTo = (roles: readonly string[], clientQueries: Grants | null = null): Grants =>
      makeGrants(
        schema,
        (model, action) => addRules(roles.map((role) => granted(role, model, action))),
        clientQueries,
      )
    const { roles } = identity
    const unbound = roles.filter((role) => !isBound(permissions, role))
    return unbound.length === roles.length ? grantsTo(roles) : grantsTo(roles, grantsTo(unbound))
  }
}

/** Clients may choose sets of roles. */
const maxBytes = 4 * 1024 * 1024

/**
 * Rights are computed once per set of roles while the permissions stay the same object. A function is called for each
 * request.
 */
export function makeGranting(settings: RuleSettings, lasting: boolean): Granting {
  const granting = grantsOf(settings)
  if (!lasting) return granting
  const known = new WeakMap<Permissions, Memory<Grants>>()
  return (permissions, identity) => {
    if (identity.kind === 'token') return granting(permissions, identity)
    // The largest size: each letter of the key is one type and action.
    const bytesOf = ({ key }: Grants): number => 150 * key.length
    const byRoles = once(known, permissions, () => makeMemory<Grants>({ maxBytes, bytesOf }))
    return once(byRoles, JSON.stringify(identity.roles), () => granting(permissions, identity))
  }
}
