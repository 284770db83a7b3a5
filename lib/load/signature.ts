import type { Level } from '../plan'
import type { Model, Uid } from '../schema'

/** Equal for levels that ask the same. */
export type Signing = (level: Level<never>) => number

/** Names say which model, field or column is meant. Levels below are numbers by now, so a deep plan is read but once. */
function described(level: Level<never>, signatureOf: Signing): string {
  return JSON.stringify(level, (key, value: unknown) => {
    switch (key) {
      case 'model':
      case 'target':
        return (value as Model).uid
      case 'field':
      case 'column':
        return (value as { readonly name?: string }).name ?? value
      case 'path':
        return undefined
      case 'targets':
        return value instanceof Map
          ? [...(value as Map<Uid, Level<never>>)].map(([uid, target]) => [uid, signatureOf(target)])
          : value
      default:
        return typeof value === 'bigint' ? `${String(value)}n` : value
    }
  })
}

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
