import type { Action } from '../config'

/** Who asks: a user with roles, whose rights are in the permissions, or a token with rights of its own. */
export type Identity =
  | { readonly kind: 'roles'; readonly roles: readonly string[] }
  | { readonly kind: 'token'; may(uid: string, action: Action): boolean }
