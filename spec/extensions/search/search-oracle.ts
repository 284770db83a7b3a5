// What a search means, in plain JavaScript: every text is read, and no index. It shares no code with the extension.

interface Text {
  readonly id: number
}

export interface AskedTerm {
  readonly words: readonly string[]
  readonly isPrefix: boolean
  readonly isExcluded: boolean
}

const fold = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

const known = new Map<string, readonly string[]>()

function tokens(text: string): readonly string[] {
  const read = known.get(text) ?? fold(text).match(/[\p{L}\p{N}]+/gu) ?? []
  known.set(text, read)
  return read
}

/** Reads the text character by character. */
export function termsOf(query: string): readonly AskedTerm[] {
  const terms: AskedTerm[] = []
  let rest = query.trim()
  while (rest !== '') {
    const isExcluded = rest.startsWith('-')
    if (isExcluded) rest = rest.slice(1)
    const isPhrase = rest.startsWith('"')
    const end = isPhrase ? rest.indexOf('"', 1) : rest.search(/\s|$/)
    const words = tokens(rest.slice(isPhrase ? 1 : 0, end))
    rest = rest.slice(isPhrase ? end + 1 : end).trim()
    if (isPhrase || isExcluded) terms.push({ words, isPrefix: false, isExcluded })
    else
      words.forEach((word, at) =>
        terms.push({ words: [word], isPrefix: rest === '' && at === words.length - 1, isExcluded }),
      )
  }
  return terms
}

function isIn(text: readonly string[], { words, isPrefix }: AskedTerm): boolean {
  if (isPrefix) return text.some((token) => token.startsWith(words[0] ?? ''))
  return text.some((_, from) => words.every((word, at) => text[from + at] === word))
}

/** Points of the texts, by id, in their order. `weights` has the attributes that the role sees. */
export function searched<T extends Text>(
  texts: readonly T[],
  terms: readonly AskedTerm[],
  weights: Readonly<Partial<Record<keyof T, number>>>,
  isIndexed: (word: string) => boolean,
): ReadonlyMap<number, number> {
  const names = Object.keys(weights) as (keyof T)[]
  const found = texts.flatMap((text): [id: number, points: number][] => {
    const read = names.map((name) => ({
      weight: weights[name] ?? 0,
      words: tokens(String(text[name])).map((word) => (isIndexed(word) ? word : '')),
    }))
    const isMet = terms.every((term) => read.some(({ words }) => isIn(words, term)) !== term.isExcluded)
    if (!isMet || terms.length === 0) return []
    const points = terms.flatMap((term) =>
      read.map(({ weight, words }) => {
        if (term.isExcluded || !isIn(words, term)) return 0
        return isIn(words, { ...term, isPrefix: false }) ? 2 * weight : weight
      }),
    )
    return [[text.id, points.reduce((sum, one) => sum + one, 0)]]
  })
  return new Map(found.sort(([id, points], [other, otherPoints]) => otherPoints - points || id - other))
}
