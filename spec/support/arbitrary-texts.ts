// Query texts that a request could have been meant by, and texts that nothing was meant by.
import type { Arbitrary } from 'fast-check'
import { type Chance, pick, times } from '../../lab/requests/chance'
import { crowd, garbage } from '../../lab/requests/chaos'
import { abyss } from '../../lab/requests/depths'
import { hostileWords } from '../../lab/requests/hostile-words'
import { magazine, typeOf } from '../../lab/requests/magazine'
import { meant } from '../../lab/requests/query-text'
import type { KnownType, Vocabulary } from '../../lab/requests/vocabulary'
import { drawnBySeed } from './drawn'

const longest = 50_000

/** Of every kind more than a client would send. */
export function anyText(chance: Chance, types: Vocabulary, type: KnownType): string {
  const speaker = { chance, types, words: hostileWords(chance, types) }
  const way = chance(19)
  if (way < 12) return meant(speaker, type)
  if (way < 16) return garbage(chance, type)
  return way < 18 ? abyss(speaker, type) : crowd(chance)
}

const article = typeOf('article')

export const anyQueryText: Arbitrary<string> = drawnBySeed((chance) => anyText(chance, magazine, article))

/** Several that part late share most of their way, and commas part many. */
export const deepQueryText: Arbitrary<string> = drawnBySeed((chance) => {
  const speaker = { chance, types: magazine, words: hostileWords(chance, magazine) }
  const deep = times(chance, 1, 3, () => abyss(speaker, article))
  return deep.join(pick(chance, ['&', ',', '&populate=b,'])).slice(0, longest)
})
