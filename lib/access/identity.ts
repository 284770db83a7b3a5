import type { Action } from '../config'

/** Who asks: somebody with roles, whose rights the permissions say, or a token that brings its own. */
export type Identity =
  | { readonly kind: 'roles'; readonly roles: readonly string[] }
  | { readonly kind: 'token'; may(uid: string, action: Action): boolean }
