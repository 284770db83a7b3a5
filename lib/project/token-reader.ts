import { type Token, UnreadableText } from './tokens'

const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '<': '>' }

/** Goes through tokens, one after the other. */
export interface TokenReader {
  readonly ahead: (by?: number) => Token | undefined
  readonly isSign: (text: string, by?: number) => boolean
  readonly isWord: (text: string, by?: number) => boolean
  readonly next: () => Token
  /** Whether the sign stood there, which is then behind. */
  readonly take: (sign: string) => boolean
  readonly takeWord: (word: string) => boolean
  readonly expect: (sign: string) => void
  readonly name: () => string
  /** How many tokens a bracket and all in it are, from where one opens. */
  readonly lengthOfBrackets: (by?: number) => number
  readonly slice: (length: number) => readonly Token[]
  readonly isAtEnd: () => boolean
  /** For going back. */
  readonly place: () => number
  readonly goTo: (place: number) => void
}

function lengthFrom(tokens: readonly Token[], start: number): number {
  const open: string[] = []
  for (let at = start; at < tokens.length; at += 1) {
    const token = tokens[at]
    const text = token?.kind === 'sign' ? token.text : ''
    // An angle is a bracket only where it is asked for: elsewhere it compares.
    const isBracket = text !== '<' || at === start || open[0] === '>'
    if (Object.hasOwn(closing, text) && isBracket) open.push(closing[text] ?? '')
    else if (text !== '' && open.at(-1) === text) open.pop()
    else if ([')', ']', '}'].includes(text)) throw new UnreadableText('brackets do not fit')
    if (open.length === 0) return at - start + 1
  }
  throw new UnreadableText('a bracket has no end')
}

export function tokenReader(tokens: readonly Token[]): TokenReader {
  let at = 0
  const ahead = (by = 0): Token | undefined => tokens[at + by]
  const is = (kind: 'sign' | 'name', text: string, by: number): boolean => {
    const token = ahead(by)
    return token?.kind === kind && token.text === text
  }
  const next = (): Token => {
    const token = tokens[at]
    if (token === undefined) throw new UnreadableText('the text ends too early')
    at += 1
    return token
  }
  const takeIf = (isThere: boolean): boolean => {
    if (isThere) at += 1
    return isThere
  }
  const take = (sign: string): boolean => takeIf(is('sign', sign, 0))
  return {
    ahead,
    isSign: (text, by = 0) => is('sign', text, by),
    isWord: (text, by = 0) => is('name', text, by),
    next,
    take,
    takeWord: (word) => takeIf(is('name', word, 0)),
    expect: (sign) => {
      if (!take(sign)) throw new UnreadableText(`${sign} is missing`)
    },
    name: () => {
      const token = next()
      if (token.kind !== 'name') throw new UnreadableText('a name is missing')
      return token.text
    },
    lengthOfBrackets: (by = 0) => lengthFrom(tokens, at + by),
    slice: (length) => tokens.slice(at, (at += length)),
    isAtEnd: () => at >= tokens.length,
    place: () => at,
    goTo: (place) => {
      at = place
    },
  }
}
