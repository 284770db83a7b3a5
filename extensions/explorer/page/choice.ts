/** A completion: its text and a description. */
export interface Choice {
  readonly text: string
  readonly about: string
  /** True if brackets follow it instead of a value. */
  readonly opens: boolean
}

export const choice = (text: string, about: string, opens = false): Choice => ({ text, about, opens })
