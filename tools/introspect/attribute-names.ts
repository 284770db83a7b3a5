import { camelCase, pascalCase, wordsOf } from './type-names'

/** Names of built-in attributes, as `sameFor` shows them. */
const builtIn = [
  ...['id', 'documentid', 'createdat', 'updatedat', 'publishedat', 'locale', 'localizations'],
  ...['createdby', 'updatedby'],
]

/** Names that differ in case, accents or `_` alone would confuse clients. */
const sameFor = (name: string): string =>
  name
    .normalize('NFD')
    .replace(/[\u0300-\u036f_-]/g, '')
    .toLowerCase()

const isLegal = (name: string): boolean =>
  /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_-]*$/u.test(name) && /\p{L}/u.test(name) && !(name in Object.prototype)

/** Takes the name that a file has for the place; else the first candidate that is legal and free. */
export type TakeName = (place: string, ...candidates: readonly string[]) => string

export function attributeNames(singularName: string, kept: ReadonlyMap<string, string>): TakeName {
  const taken = new Set([...builtIn, ...[...kept.values()].map(sameFor)])
  const take = (name: string): string => {
    taken.add(sameFor(name))
    return name
  }
  const isFree = (name: string): boolean => isLegal(name) && !taken.has(sameFor(name))
  return (place, ...candidates) => {
    const found = kept.get(place) ?? candidates.find(isFree)
    if (found !== undefined) return take(found)
    const [first = ''] = candidates
    const last = camelCase([...wordsOf(singularName), pascalCase(wordsOf(first))])
    for (let number = 1; ; number += 1) {
      const name = number === 1 ? last : `${last}${String(number)}`
      if (isFree(name)) return take(name)
    }
  }
}

const secret =
  /(^|_)(salt|hash|pwd|pin|ssn|(api|private|secret|access|encryption)_?key)(_|$)|passwd|password|secret|token|hash$/

export const isSecret = (column: string): boolean => secret.test(wordsOf(column).join('_'))
