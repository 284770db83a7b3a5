import type {
  Action,
  Grant,
  Granted,
  PermissionFunction,
  PermissionTable,
  Rule,
  Identity,
  ReadAction,
  RulesOfRoles,
  StoredPermissions,
} from '../config'
import { makeMemory, type Memory, once } from '../memory'
import { type Model, type Uid, modelNamed, type Schema, userUid } from '../schema'
import { ruleOfHostAnswer } from './host-answer'
import {
  type Allowed,
  type Grants,
  makeGrants,
  type GrantRule,
  readGrantRule,
  type RuleSettings,
  together,
} from './grants'

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

interface NarrowedPermissions {
  readonly by: 'source'
  readonly granted: StoredPermissions
  readonly ruleOn: RuleOn
}

export type GivenPermissions =
  NarrowedPermissions | { readonly by: 'host'; readonly granted: PermissionTable | PermissionFunction }

type TypeRight = RouteRight & { readonly type: string }

const byRight = (
  { granted, ruleOn }: NarrowedPermissions,
  role: string,
  { controller, action, type }: RouteRight,
): boolean | Rule => granted(role, controller, action) && (type === null || ruleOn(role, type))

/** The right replaces `findOne` of its type, because some rights to lists and counts show no linked entries. */
const grantedBySource =
  (permissions: NarrowedPermissions, right: RouteRight | null): PermissionFunction =>
  (role, uid, action) => {
    if (right?.type === uid && action === 'findOne') return byRight(permissions, role, right)
    const rule = permissions.ruleOn(role, uid)
    // The rule of `find` holds for drafts, too.
    return permissions.granted(role, uid, action) && (action === 'drafts' ? rule !== false : rule)
  }

const isOfType = (right: RouteRight): right is TypeRight => right.type !== null

/** `'*'` opens no list of all users; that takes the type's name. */
function listedBy(grant: Grant, { type, as }: Pick<TypeRight, 'type' | 'as'>): boolean | Rule {
  const listed = as === 'findOne' ? (grant.findOne ?? grant.find) : grant.find
  if (listed === undefined || listed === '*') return listed === '*' && type !== userUid
  if (namesTypes(listed)) return listed.includes(type)
  return (Object.hasOwn(listed, type) && listed[type]) ?? false
}

export const isListedBy = (grant: Grant, type: string): boolean =>
  (['find', 'findOne'] as const).some((as) => listedBy(grant, { type, as }) !== false)

/** The route replaces `findOne`, so that other grants of the role do not widen it. */
const grantedByTable = (table: PermissionTable, right: TypeRight): PermissionTable =>
  Object.fromEntries(
    Object.entries(table).map(([role, grant]) => [
      role,
      { ...grant, findOne: { [right.type]: listedBy(grant, right) } },
    ]),
  )

/** `isNarrowed`: the right of the route replaces `findOne` of its type. */
export interface GrantedByRight {
  readonly granted: PermissionTable | PermissionFunction
  readonly isNarrowed: boolean
}

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
export function mayUseRoute(permissions: GivenPermissions, identity: Identity, right: RouteRight): boolean {
  if (identity.kind === 'token') return identity.may(right.controller, right.action)
  return identity.roles.some((role) => isGranted(permissions, role, right))
}

export type Permissions = PermissionTable | PermissionFunction

/** The short name is for the host's own types: `user` must not open Strapi's users. */
const isNamed = ({ uid, singularName }: Model, name: string): boolean =>
  name === uid || (name === singularName && uid.startsWith('api::'))

export const namesTypes = (granted: Granted): granted is readonly string[] => Array.isArray(granted)

function grantedIn(granted: Granted | undefined, model: Model): boolean | Rule {
  if (granted === undefined) return false
  if (granted === '*') return true
  if (namesTypes(granted)) return granted.some((name) => isNamed(model, name))
  const [, rule = false] = Object.entries(granted).find(([name]) => isNamed(model, name)) ?? []
  return rule
}

function grantedBy(grant: Grant | undefined, model: Model, action: Action): boolean | Rule {
  if (action === 'findOne') return grantedIn(grant?.findOne ?? grant?.find, model)
  return grantedIn(grant?.[action], model)
}

export function grantedTo(
  table: PermissionTable,
  role: string,
  model: Model,
  action: Action,
): boolean | Rule {
  return Object.hasOwn(table, role) && grantedBy(table[role], model, action)
}

export const isBound = (permissions: Permissions, role: string): boolean =>
  typeof permissions === 'object' &&
  Object.hasOwn(permissions, role) &&
  permissions[role]?.queries === 'named'

/** Rules are read once per object. */
type ReadRule = (rule: Rule, model: Model, path: readonly string[]) => GrantRule

function ruleReader(settings: RuleSettings): ReadRule {
  const known = new WeakMap<Rule, Map<Uid, GrantRule>>()
  return (rule, model, path) => {
    const byType = once(known, rule, () => new Map<Uid, GrantRule>())
    return once(byType, model.uid, () => readGrantRule(settings, model, rule, path))
  }
}

interface GrantSettings {
  readonly settings: RuleSettings
  readonly read: ReadRule
}

const shows = (one: GrantRule, other: GrantRule): boolean =>
  one.where === 'all' &&
  other.fields !== null &&
  [...other.fields].every((name) => one.fields?.has(name) ?? true)

function anyOf(all: readonly (boolean | GrantRule)[]): Allowed {
  if (all.includes(true)) return true
  const byRows = new Map<string, GrantRule>()
  for (const rule of all) {
    if (typeof rule !== 'object') continue
    const known = byRows.get(rule.rows)
    byRows.set(rule.rows, known === undefined ? rule : together(known, rule))
  }
  const rules = [...byRows.values()]
  return rules.length > 0 && rules.filter((rule) => !rules.some((one) => one !== rule && shows(one, rule)))
}

/** Rights of several roles add up. A token has its own rights. */
function grantsOf(
  { settings: { schema }, read }: GrantSettings,
  permissions: Permissions,
  identity: Identity,
): Grants {
  if (identity.kind === 'token') return makeGrants(schema, ({ uid }, action) => identity.may(uid, action))
  const granted = (role: string, model: Model, action: Action): boolean | GrantRule => {
    const answer =
      typeof permissions === 'function'
        ? ruleOfHostAnswer('permissions', permissions(role, model.uid, action))
        : grantedTo(permissions, role, model, action)
    const path =
      typeof permissions === 'function' ? ['permissions'] : ['permissions', role, action, model.uid]
    if (typeof answer === 'boolean') return answer
    // A shared rule is read once.
    const place = typeof permissions === 'function' ? [...path, role, action, model.uid] : path
    return { ...read(answer, model, path), places: [place.join('.')] }
  }
  const grantsTo = (roles: readonly string[], clientQueries: Grants | null = null): Grants =>
    makeGrants(
      schema,
      (model, action) => anyOf(roles.map((role) => granted(role, model, action))),
      clientQueries,
    )
  const { roles } = identity
  const unbound = roles.filter((role) => !isBound(permissions, role))
  return unbound.length === roles.length ? grantsTo(roles) : grantsTo(roles, grantsTo(unbound))
}

export type Granting = (permissions: Permissions, identity: Identity) => Grants

/** Clients may choose sets of roles. */
const maxBytes = 4 * 1024 * 1024

/** The largest size: each letter of the key is one type and action. */
const bytesOfGrants = ({ key }: Grants): number => 150 * key.length

/**
 * Rights are computed once per set of roles while the permissions stay the same object. A function is called for each
 * request.
 */
export function makeGranting(ruleSettings: RuleSettings, lasting: boolean): Granting {
  const settings = { settings: ruleSettings, read: ruleReader(ruleSettings) }
  if (!lasting) return (permissions, identity) => grantsOf(settings, permissions, identity)
  const known = new WeakMap<Permissions, Memory<Grants>>()
  return (permissions, identity) => {
    if (identity.kind === 'token') return grantsOf(settings, permissions, identity)
    const byRoles = once(known, permissions, () => makeMemory<Grants>({ maxBytes, bytesOf: bytesOfGrants }))
    return once(byRoles, JSON.stringify(identity.roles), () => grantsOf(settings, permissions, identity))
  }
}
