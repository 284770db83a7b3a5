import type { Action, Grant, PermissionFunction, PermissionTable } from '../config'
import type { Model, Schema } from '../schema'
import { type Grants, makeGrants } from './grants'
import type { Identity } from './identity'

export type Permissions = PermissionTable | PermissionFunction

const names = (model: Model, listed: readonly string[] | '*' | undefined): boolean =>
  listed === '*' || (listed?.some((name) => name === model.uid || name === model.singularName) ?? false)

/** Where `findOne` is absent, it is as `find`. */
function grants(grant: Grant | undefined, model: Model, action: Action): boolean {
  if (action === 'findOne') return names(model, grant?.findOne ?? grant?.find)
  return names(model, grant?.[action])
}

function inTable(table: PermissionTable, role: string, model: Model, action: Action): boolean {
  return Object.hasOwn(table, role) && grants(table[role], model, action)
}

/** Several roles may do what any of them may. A token brings its own rights, whatever the permissions say. */
export function grantsOf(schema: Schema, permissions: Permissions, identity: Identity): Grants {
  if (identity.kind === 'token') return makeGrants(schema, ({ uid }, action) => identity.may(uid, action))
  const may = (role: string, model: Model, action: Action): boolean =>
    typeof permissions === 'function'
      ? permissions(role, model.uid, action)
      : inTable(permissions, role, model, action)
  return makeGrants(schema, (model, action) => identity.roles.some((role) => may(role, model, action)))
}
