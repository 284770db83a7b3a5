import type { Action, Grant, Granted, PermissionFunction, PermissionTable, Rule } from '../config'
import { makeMemory, type Memory, once } from '../memory'
import type { Model, Uid } from '../schema'
import { ruleOfHostAnswer } from './host-answer'
import { type Allowed, type Grants, makeGrants } from './grants'
import type { Identity } from '../config'
import { type GrantRule, readGrantRule, type RuleSettings, together } from './grant-rule'

export type Permissions = PermissionTable | PermissionFunction

/** The short name is for the types of the host's own; `user` shall not open Strapi's users by accident. */
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

/** Where `findOne` is absent, it is as `find`. */
function grantedBy(grant: Grant | undefined, model: Model, action: Action): boolean | Rule {
  if (action === 'findOne') return grantedIn(grant?.findOne ?? grant?.find, model)
  return grantedIn(grant?.[action], model)
}

/** What a table grants to one role. */
export function grantedTo(
  table: PermissionTable,
  role: string,
  model: Model,
  action: Action,
): boolean | Rule {
  return Object.hasOwn(table, role) && grantedBy(table[role], model, action)
}

/** True if the role may only use queries of the host. */
export const isBound = (permissions: Permissions, role: string): boolean =>
  typeof permissions === 'object' &&
  Object.hasOwn(permissions, role) &&
  permissions[role]?.queries === 'named'

/** Reads what the host wrote, once for as long as it is the same object. */
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

/** Whether all that the other shows is shown by the one as well. */
const shows = (one: GrantRule, other: GrantRule): boolean =>
  one.where === 'all' &&
  other.fields !== null &&
  [...other.fields].every((name) => one.fields?.has(name) ?? true)

/** Of several rules on a type one is enough. */
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

/** Several roles may do what any of them may. A token brings its own rights, apart from the permissions. */
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
    // One rule may stand in several places, and is read once.
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

/** Of sets of roles, which a host may take from what a client sends. */
const maxBytes = 4 * 1024 * 1024

/** At most: each letter of the key is one type and what may be done with it. */
const bytesOfGrants = ({ key }: Grants): number => 150 * key.length

/**
 * What a set of roles may do is worked out once for as long as the permissions stay the same object. A host's own
 * function is asked every time: what it answers may change from one request to the next.
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
