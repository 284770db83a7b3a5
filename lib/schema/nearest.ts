import { type Fault, type QueryPath, type RequestError, unknownKey } from '../errors'

/** Edits from one word to the other: a letter added, dropped, replaced, or swapped with its neighbour. */
export function distance(from: string, to: string): number {
  let older: number[] = []
  let old = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const now = [row]
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1]
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      const steps = [at(now, column - 1) + 1, at(old, column) + 1, at(old, column - 1) + (same ? 0 : 1)]
      now.push(Math.min(...steps, swapped ? at(older, column - 2) + 1 : Infinity))
    }
    older = old
    old = now
  }
  return at(old, to.length)
}

const at = (row: readonly number[], column: number): number => row[column] ?? Infinity

/** The nearest word, with at most one edit in three letters. */
export function nearest(word: string, words: Iterable<string>): string | undefined {
  const written = word.toLowerCase()
  let best: string | undefined
  let fewest = Math.max(1, Math.floor(word.length / 3)) + 1
  for (const candidate of words) {
    const steps = distance(written, candidate.toLowerCase())
    if (steps < fewest) [best, fewest] = [candidate, steps]
  }
  return best
}

/** Longer names would cost too much to compare. */
const longest = 60

export function unknownAmong(path: QueryPath, key: string, names: readonly string[]): RequestError {
  const others = key.length > longest ? [] : names.filter((name) => name !== key)
  const similar = nearest(key, others)
  return unknownKey(path, key, similar === undefined ? undefined : `did you mean ${similar}?`)
}

export function didYouMean(word: string, words: readonly string[]): string {
  const similar = nearest(word, words)
  if (similar !== undefined) return `did you mean ${similar}?`
  return words.length === 0 ? 'no names are available' : `use one of ${words.join(', ')}`
}

export function faultsOfUnknown(owner: string, given: object, known: object): Fault[] {
  const names = Object.keys(known)
  const unknown = Object.keys(given).filter((name) => !names.includes(name))
  return unknown.map((name) => {
    const problem = `the option ${name} does not exist`
    return { where: `${owner}.${name}`, problem, remedy: didYouMean(name, names) }
  })
}

export interface ValueCheck {
  readonly fits: (value: unknown) => boolean
  readonly problem: string
  readonly remedy?: string
}

/** Unknown names, and values that do not fit. */
export function faultsOfValues(
  owner: string,
  options: object,
  checks: Readonly<Record<string, ValueCheck>>,
): Fault[] {
  const given = new Map<string, unknown>(Object.entries(options))
  const wrong = Object.entries(checks).flatMap(([name, { fits, ...fault }]) => {
    const value = given.get(name)
    return value === undefined || fits(value) ? [] : [{ where: `${owner}.${name}`, ...fault }]
  })
  return [...faultsOfUnknown(owner, options, checks), ...wrong]
}
