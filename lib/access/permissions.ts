import type { Action, Grant, PermissionFunction, PermissionTable } from '../config'
import { makeMemory, type Memory, once } from '../memory'
import type { Model, Schema } from '../schema'
import { isYesOfHostAnswer } from './host-answer'
import { type Grants, makeGrants } from './grants'
import type { Identity } from './identity'

export type Permissions = PermissionTable | PermissionFunction

/** The short name is for the types of the host's own; `user` shall not open Strapi's users by accident. */
const isNamed = ({ uid, singularName }: Model, name: string): boolean =>
  name === uid || (name === singularName && uid.startsWith('api::'))

const names = (model: Model, listed: readonly string[] | '*' | undefined): boolean =>
  listed === '*' || (listed?.some((name) => isNamed(model, name)) ?? false)

/** Where `findOne` is absent, it is as `find`. */
function grants(grant: Grant | undefined, model: Model, action: Action): boolean {
  if (action === 'findOne') return names(model, grant?.findOne ?? grant?.find)
  return names(model, grant?.[action])
}

function inTable(table: PermissionTable, role: string, model: Model, action: Action): boolean {
  return Object.hasOwn(table, role) && grants(table[role], model, action)
}

/** Whether the role is answered named queries only. */
const isBound = (permissions: Permissions, role: string): boolean =>
  typeof permissions === 'object' &&
  Object.hasOwn(permissions, role) &&
  permissions[role]?.queries === 'named'

/** Several roles may do what any of them may. A token brings its own rights, apart from the permissions. */
function grantsOf(schema: Schema, permissions: Permissions, identity: Identity): Grants {
  if (identity.kind === 'token') return makeGrants(schema, ({ uid }, action) => identity.may(uid, action))
  const may = (role: string, model: Model, action: Action): boolean =>
    typeof permissions === 'function'
      ? isYesOfHostAnswer('permissions', permissions(role, model.uid, action))
      : inTable(permissions, role, model, action)
  const grantsTo = (roles: readonly string[], free: Grants | null = null): Grants =>
    makeGrants(schema, (model, action) => roles.some((role) => may(role, model, action)), free)
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
export function makeGranting(schema: Schema, lasting: boolean): Granting {
  if (!lasting) return (permissions, identity) => grantsOf(schema, permissions, identity)
  const known = new WeakMap<Permissions, Memory<Grants>>()
  return (permissions, identity) => {
    if (identity.kind === 'token') return grantsOf(schema, permissions, identity)
    const byRoles = once(known, permissions, () => makeMemory<Grants>({ maxBytes, bytesOf: bytesOfGrants }))
    return once(byRoles, JSON.stringify(identity.roles), () => grantsOf(schema, permissions, identity))
  }
}
