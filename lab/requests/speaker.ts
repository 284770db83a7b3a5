import type { ColumnType } from '../../lib/schema'
import type { Chance } from './chance'
import type { Operator } from '../../lib/operators'
import type { KnownType, Scalar, Vocabulary } from './vocabulary'

/** What requests are made of that differs from one use to the other. */
export interface Words {
  /** Names and operators in the place of those that fit, now and then. */
  readonly name: (fitting: string) => string
  readonly operators: (kind: ColumnType) => readonly string[]
  /** What an attribute is compared with. */
  readonly operand: (type: KnownType, scalar: Scalar, kind: Operator['value']) => string
  /** How many conditions stand side by side, and how many keys a sort has, when they are many. */
  readonly crowd: number
  readonly repeatedKeys: number
  /** Whether what is populated is asked for in pages. */
  readonly hasInnerPages: boolean
  /** Whether what Strapi does not have is asked for as well. */
  readonly beyondStrapi: boolean
}

/** Who makes a request: by what luck, about which types, in which words. */
export interface Speaker {
  readonly chance: Chance
  readonly types: Vocabulary
  readonly words: Words
}
