import type { PermissionFunction, PermissionTable, ReadAction } from '../config'
import { userUid } from '../schema'
import type { StoredPermissions } from './from-database'
import { ruleOfHostAnswer } from './host-answer'
import type { Identity } from './identity'
import { namesTypes } from './permissions'

/** What a route of one of Strapi's plugins asks for. */
export interface PluginRight {
  /** As Strapi keeps it: `plugin::i18n.locales` and `listLocales`. */
  readonly controller: string
  readonly action: string
  /** What a host grants in its place, which knows types alone; null where no type stands for it. */
  readonly type: string | null
  readonly as: ReadAction
}

/** Whose permissions say it: Strapi's, read from its database, or the host's own. */
export type GivenPermissions =
  | { readonly by: 'strapi'; readonly granted: StoredPermissions }
  | { readonly by: 'host'; readonly granted: PermissionTable | PermissionFunction }

type TypeRight = PluginRight & { readonly type: string }

const isOfType = (right: PluginRight): right is TypeRight => right.type !== null

/** `'*'` stands for content: that it opens the list of all users as well is to be said by name. */
function isListed(table: PermissionTable, role: string, { type, as }: TypeRight): boolean {
  const grant = Object.hasOwn(table, role) ? table[role] : undefined
  const listed = as === 'findOne' ? (grant?.findOne ?? grant?.find) : grant?.find
  if (listed === undefined || listed === '*') return listed === '*' && type !== userUid
  return namesTypes(listed) ? listed.includes(type) : Object.hasOwn(listed, type) && listed[type] !== false
}

function isGranted({ by, granted }: GivenPermissions, role: string, right: PluginRight): boolean {
  if (by === 'strapi') return granted(role, right.controller, right.action)
  if (!isOfType(right)) return false
  if (typeof granted === 'object') return isListed(granted, role, right)
  return ruleOfHostAnswer('permissions', granted(role, right.type, right.as)) !== false
}

/** Of several roles any will do. A token brings its own rights, whatever the permissions say. */
export function mayAskPlugin(permissions: GivenPermissions, identity: Identity, right: PluginRight): boolean {
  if (identity.kind === 'token') return identity.may(right.controller, right.action)
  return identity.roles.some((role) => isGranted(permissions, role, right))
}
