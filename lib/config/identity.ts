/** What is known of whoever asks, by the names that rules compare with. */
export type AskerTexts = ReadonlyMap<string, string>

export const nothingKnown: AskerTexts = new Map()

/** Who asks: a user with roles, whose rights are in the permissions, or a token with rights of its own. */
export type Identity =
  | {
      readonly kind: 'roles'
      readonly roles: readonly string[]
      readonly asker: AskerTexts
      /** The id of the user, if it is known. */
      readonly user?: number
    }
  | { readonly kind: 'token'; may(uid: string, action: string): boolean }
