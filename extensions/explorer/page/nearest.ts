import { distance } from '../../../lib/schema/nearest'
import { pages } from './fixed-choices'

const longestWord = 60

/** Names within a few typing errors or with the same prefix; only the name that differs in case, if there is one. */
export function nearestOf(word: string, words: readonly string[]): readonly string[] {
  if (word === '' || word.length > longestWord) return []
  const written = word.toLowerCase()
  const same = words.find((one) => one !== word && one.toLowerCase() === written)
  if (same !== undefined) return [same]
  const most = Math.max(2, Math.floor(word.length / 3))
  const near = [...new Set(words)]
    .map((one) => {
      const plain = one.toLowerCase()
      const begins = plain.startsWith(written) || written.startsWith(plain)
      return { one, steps: begins ? 1 : distance(written, plain) }
    })
    .filter(({ one, steps }) => steps <= most && one !== word)
  return near
    .sort((first, second) => first.steps - second.steps)
    .slice(0, 3)
    .map(({ one }) => one)
}

const pageNames = pages.map(({ text }) => text)

export const isPageName = (word: string): boolean => pageNames.includes(word)

/** Parameters of `pagination` are often written without it. */
export const nearestParameters = (word: string, names: readonly string[]): readonly string[] => {
  const inPages = (one: string): string => `pagination[${one}]`
  if (isPageName(word)) return [inPages(word)]
  return [...nearestOf(word, names), ...nearestOf(word, pageNames).map(inPages)].slice(0, 3)
}
