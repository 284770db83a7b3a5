import { type Chance, pick, times } from './chance'
import { operators } from './conditions'
import { parameters, scalars } from './names'
import { joined } from './say'
import { attacks, encodings, prototypeNames, text } from './values'

export function crowd(chance: Chance): string {
  const one = pick(chance, ['filters[title][$in]', 'filters[$or]', 'fields', 'sort', 'populate', '_q', 'a'])
  return joined(
    Array.from({ length: 90 + chance(1_200) }, (_, at) => `${one}[${String(at % 110)}]=${text(chance)}`),
  )
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

/** Nothing that anybody could have meant: signs, words and broken encodings in any order. */
export function garbage(chance: Chance): string {
  const pieces = [signs, encodings, attacks, prototypeNames, operators, parameters, scalars]
  return joined(
    times(chance, 3, () =>
      times(chance, 12, () => pick(chance, pick<readonly string[]>(chance, pieces))).join(''),
    ),
  )
}
