/** What may be written at a place: a name, and what it is. */
export interface Choice {
  readonly text: string
  readonly about: string
  /** Whether brackets follow it, and not a value. */
  readonly opens: boolean
}

export const choice = (text: string, about: string, opens = false): Choice => ({ text, about, opens })
