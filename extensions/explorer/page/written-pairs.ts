import { decoded } from './plain-text'

/** A name and its value, with their positions in the text of a query. */
export interface WrittenPair {
  readonly keyFrom: number
  readonly key: string
  readonly valueFrom: number
  readonly value: string
}

export function pairsIn(text: string): readonly WrittenPair[] {
  const start = text.indexOf('?') + 1
  if (start === 0) return []
  let from = start
  return text
    .slice(start)
    .split('&')
    .map((pair) => {
      const equals = pair.indexOf('=')
      const key = equals < 0 ? pair : pair.slice(0, equals)
      const written = {
        keyFrom: from,
        key,
        valueFrom: from + key.length + 1,
        value: equals < 0 ? '' : pair.slice(equals + 1),
      }
      from += pair.length + 1
      return written
    })
}

/** `filters[author]` → filters, author. */
export const namesOf = (key: string): readonly string[] =>
  decoded(key)
    .split('[')
    .map((name) => name.replace(/\]$/, ''))

interface SharedPair {
  readonly pair: WrittenPair
  readonly depth: number
}

/** Pairs that share names with the path, the most first. */
export function pairsAt(text: string, path: readonly string[]): readonly SharedPair[] {
  const shared = ({ key }: WrittenPair): number => {
    const names = namesOf(key)
    const odd = path.findIndex((name, at) => names[at] !== name)
    return odd < 0 ? path.length : odd
  }
  return pairsIn(text)
    .map((pair) => ({ pair, depth: shared(pair) }))
    .filter(({ depth }) => depth > 0)
    .sort((one, other) => other.depth - one.depth)
}
