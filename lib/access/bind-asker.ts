import { askerValueOf, type AskerOperand, type Value } from '../plan'
import type { Grants } from './grants'
import type { AskerTexts } from '../config'
import type { GrantRule } from './grant-rule'

/** What the rules of a request compare with. */
export interface BoundAsker {
  /** Equal for those who compare with the same; empty where nothing is compared. */
  readonly key: string
  readonly valueOf: (operand: AskerOperand) => Value
}

const nameOf = ({ asker, type }: AskerOperand): string => JSON.stringify([asker, type])

/** Compares with nothing. */
export const nobody: BoundAsker = {
  key: '',
  valueOf: ({ asker }) => {
    throw new Error(`nothing is known of whoever asks to compare with: ${asker}`)
  },
}

type Values = ReadonlyMap<string, Value>

const writable = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value

function bound(values: Values): BoundAsker {
  if (values.size === 0) return nobody
  const key = JSON.stringify([...values].sort(), writable)
  return {
    key,
    valueOf: (operand) => values.get(nameOf(operand)) ?? nobody.valueOf(operand),
  }
}

export interface AskedGrants {
  readonly grants: Grants
  readonly asker: BoundAsker
}

/** A rule that compares with something that is not known of whoever asks, or is of another kind, lets no row through. */
export function bindAsker(
  grants: Grants,
  known: AskerTexts,
  tellMissing: (operand: AskerOperand) => void,
): AskedGrants {
  if (grants.personal.length === 0) return { grants, asker: nobody }
  const values = new Map<string, Value>()
  const gone = new Set<GrantRule>()
  for (const rule of grants.personal) {
    for (const operand of rule.askers) {
      const text = known.get(operand.asker)
      const value = text === undefined ? undefined : askerValueOf(operand, text)
      if (value !== undefined) values.set(nameOf(operand), value)
      else {
        tellMissing(operand)
        gone.add(rule)
      }
    }
  }
  return { grants: gone.size === 0 ? grants : grants.without(gone), asker: bound(values) }
}
