import type { DialectName } from '../../lib/database'
import { malformed } from '../../lib/errors'

/** Words that follow each other in one attribute. */
export interface Term {
  readonly words: readonly string[]
  /** The last word may be the beginning of a word. */
  readonly isPrefix: boolean
  readonly isExcluded: boolean
  readonly isPhrase: boolean
}

/** Null for a phrase, also of one word: its words have no other forms. */
export const wordOf = ({ words, isPhrase }: Term): string | null => (isPhrase ? null : (words[0] ?? null))

export interface SearchText {
  readonly terms: readonly Term[]
  /** Words that the index of the database does not contain. */
  readonly ignored: readonly string[]
}

/** Each term adds a condition and scores for each attribute. */
const mostTerms = 8
const longestPhrase = 20

/** Letters and digits. A mark alone is no word. */
export const wordPattern = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu

const wordsIn = (text: string): readonly string[] => text.toLowerCase().match(wordPattern) ?? []

/** The default of InnoDB. The server also ignores shorter words. */
const shortestWord = 3

/** The default stop words of InnoDB. */
const stopWords =
  /^(?:a|about|an|are|as|at|be|by|com|de|en|for|from|how|i|in|is|it|la|of|on|or|that|the|this|to|was|what|when|where|who|will|with|und|the|www)$/

/** PostgreSQL fails on a much longer word, and InnoDB does not store it. */
const longestWord = 80

/** Words that the index lacks. A short word can still be the beginning of a word. */
function ignoredIn(dialect: DialectName, { words, isPrefix }: Term): readonly string[] {
  if (words.some((word) => foldText(word).length > longestWord)) return words
  const isShort = (word: string): boolean => word.length < shortestWord && !isPrefix
  return dialect === 'mysql' ? words.filter((word) => isShort(word) || stopWords.test(foldText(word))) : []
}

/** `"a phrase"`, `-excluded`, words. Other characters separate words. */
const parts = /(?<!\S)(-?)(?:"([^"]*)"?|(\S+))/gu

function readTerms(text: string): Term[] {
  const found = [...text.matchAll(parts)].filter(([part]) => wordsIn(part).length > 0)
  return found.flatMap(([, minus = '', phrase, plain = ''], at): Term[] => {
    const isExcluded = minus !== ''
    const words = wordsIn(phrase ?? plain)
    const isPhrase = phrase !== undefined || (isExcluded && words.length > 1)
    if (isPhrase || isExcluded) return [{ words, isPrefix: false, isExcluded, isPhrase }]
    const last = at === found.length - 1 ? words.length - 1 : -1
    return words.map((word, index) => ({ words: [word], isPrefix: index === last, isExcluded, isPhrase }))
  })
}

/** `parameter` contains the text. */
export function readSearchText(dialect: DialectName, text: string, parameter = '_q'): SearchText {
  const asked = readTerms(text)
  const refuse = (limit: string): never => {
    throw malformed([parameter], `Invalid ${parameter} parameter: ${limit}`)
  }
  if (asked.length > mostTerms) refuse(`a search can contain at most ${String(mostTerms)} words and phrases`)
  if (asked.some(({ words }) => words.length > longestPhrase))
    refuse(`a phrase can contain at most ${String(longestPhrase)} words`)
  // With a term of ignored words only, nothing would match.
  const terms = asked.filter((term) => ignoredIn(dialect, term).length < term.words.length)
  return { terms, ignored: [...new Set(asked.flatMap((term) => ignoredIn(dialect, term)))] }
}

/** A text without accents and case, as the index of PostgreSQL contains it. */
export const foldText = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
