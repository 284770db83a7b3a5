import { type Chance, pick, times } from './chance'
import { attacks, encodings, prototypeNames, text } from './hostile-texts'
import { allOperators } from './operators'
import type { KnownType } from './vocabulary'

export function crowd(chance: Chance): string {
  const one = pick(chance, ['filters[title][$in]', 'filters[$or]', 'fields', 'sort', 'populate', '_q', 'a'])
  const pairs = times(chance, 90, 1_289, (at) => `${one}[${String(at % 110)}]=${text(chance)}`)
  return pairs.join('&')
}

/** Takes a piece out, doubles it, or puts another in its place. */
export function spoil(chance: Chance, whole: string): string {
  const from = chance(whole.length + 1)
  const to = from + chance(8)
  const piece = pick(chance, [
    '',
    whole.slice(from, to).repeat(2),
    pick(chance, encodings),
    '[',
    ']',
    '&',
    '=',
    '.',
  ])
  return whole.slice(0, from) + piece + whole.slice(to)
}

const signs = ['&', '=', '[', ']', '.', ',', ':', '#', '?', '/', ';', '$', '%', '+', '~', '|', '\\', '"', "'"]

const parameters = ['fields', 'populate', 'filters', 'sort', 'pagination', 'status', 'locale', '_q']
const keys = [
  'on',
  'count',
  'page',
  'pageSize',
  'start',
  'limit',
  'withCount',
  '$and',
  '$or',
  '$not',
  '$nope',
]

/** Nothing that anybody could have meant: signs, words and broken encodings in any order. */
export function garbage(chance: Chance, { scalars, links }: KnownType): string {
  const names = [...scalars, ...links].map(({ name }) => name)
  const pieces = [signs, signs, encodings, attacks, prototypeNames, allOperators, parameters, keys, names]
  const piece = (): string => pick(chance, pick<readonly string[]>(chance, pieces))
  return times(chance, 1, 3, () => times(chance, 1, 12, piece).join('')).join('&')
}
