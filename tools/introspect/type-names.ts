import pluralize from 'pluralize'

pluralize.addIrregularRule('canvas', 'canvases')
pluralize.addIrregularRule('cookie', 'cookies')

export interface RouteNames {
  readonly singularName: string
  readonly pluralName: string
  readonly displayName: string
}

/** Words of a name in lower case: `unitPrice`, `UnitPrice` and `unit_price` are unit, price. */
export const wordsOf = (name: string): readonly string[] =>
  name
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter(Boolean)
    .map((word) => word.toLowerCase())

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

export const pascalCase = (words: readonly string[]): string => words.map(capitalized).join('')

export const camelCase = ([first = '', ...others]: readonly string[]): string => first + pascalCase(others)

const withLast = (words: readonly string[], change: (word: string) => string): readonly string[] =>
  words.map((word, place) => (place === words.length - 1 ? change(word) : word))

/** Plurals stay as they are written. */
export const pluralOf = (words: readonly string[]): readonly string[] =>
  withLast(words, (word) => (pluralize.singular(word) === word ? pluralize.plural(word) : word))

export const singularOf = (words: readonly string[]): readonly string[] =>
  withLast(words, (word) => pluralize.singular(word) || word)

/** Routes are ASCII. */
const routeWords = (table: string): readonly string[] => {
  const plain = table.normalize('NFD').replace(/[\u0300-\u036f]/g, '')
  const words = wordsOf(plain.replace(/[^\x00-\x7f]/g, ' '))
  return /^[a-z]/.test(words[0] ?? '') ? words : ['table', ...words]
}

const kebab = (words: readonly string[]): string => words.join('-')

/**
 * Names of the types of tables: `film_actor` is `film-actor` at `/film-actors`. If two tables would share a name, such as
 * `film` and `films`, the later ones get a number.
 */
export function typeNames(tables: readonly string[]): ReadonlyMap<string, RouteNames> {
  const taken = new Set<string>()
  const isFree = ({ singularName, pluralName }: RouteNames): boolean =>
    !taken.has(singularName) && !taken.has(pluralName)
  const named = tables.map((table): readonly [string, RouteNames] => {
    const words = routeWords(table)
    for (let number = 1; ; number += 1) {
      const numbered = number === 1 ? [] : [String(number)]
      const names = {
        singularName: kebab([...singularOf(words), ...numbered]),
        pluralName: kebab([...pluralOf(words), ...numbered]),
        displayName: singularOf(wordsOf(table)).map(capitalized).join(' '),
      }
      if (!isFree(names)) continue
      taken.add(names.singularName).add(names.pluralName)
      return [table, names]
    }
  })
  return new Map(named)
}
