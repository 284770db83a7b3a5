import type { Condition, Level } from '../plan'
import type { Column, Model, Uid } from '../schema'

/** Equal for levels that ask the same. */
export type Signing = (level: Level<never>) => number

type Target = Level<never>

/** Names say which model, field or column is meant. */
function described(what: Level<never> | Condition<never>, ofTarget: (target: Target) => unknown): string {
  return JSON.stringify(what, (key, value: unknown) => {
    switch (key) {
      case 'model':
      case 'target':
        return (value as Model).uid
      case 'field':
      case 'column':
        return (value as { readonly name?: string }).name ?? value
      case 'path':
        return undefined
      case 'columns':
        return JSON.stringify((value as readonly Column[]).map(({ name }) => name))
      case 'targets':
        return value instanceof Map
          ? [...(value as Map<Uid, Target>)].map(([uid, target]) => [uid, ofTarget(target)])
          : value
      default:
        return typeof value === 'bigint' ? `${String(value)}n` : value
    }
  })
}

/** Levels below are numbers by then, so a deep plan is read but once. */
export function makeSigning(): Signing {
  const numbers = new Map<string, number>()
  const known = new WeakMap<Level<never>, number>()
  const signatureOf: Signing = (level) => {
    const before = known.get(level)
    if (before !== undefined) return before
    const text = described(level, signatureOf)
    const number = numbers.get(text) ?? numbers.size
    numbers.set(text, number)
    known.set(level, number)
    return number
  }
  return signatureOf
}

/** Equal for levels on which the same hangs, whichever of their rows and columns are asked for. */
export const signatureBelow = (level: Level<never>): string =>
  described({ ...level, columns: [], where: { op: 'and', of: [] }, order: [] }, (target) => target)

/** Equal for conditions that ask the same of the same type. */
export const textOf = (condition: Condition<never>): string => described(condition, (target) => target)
