/** A piece of a module's text. `template`: the texts between its holes, and the tokens of each hole. */
export type Token =
  | { readonly kind: 'name' | 'sign'; readonly text: string }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'number'; readonly value: number }
  | {
      readonly kind: 'template'
      readonly texts: readonly string[]
      readonly holes: readonly (readonly Token[])[]
    }

/** What is not understood, and so is told of as unknown. Never leaves this room. */
export class UnreadableText extends Error {
  override readonly name = 'UnreadableText'
}

const blank = /(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)*/y
const word = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy
const number = /(?:0[xX][\da-fA-F_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?)/y
const quoted = /'(?:[^'\\\n]|\\[^])*'|"(?:[^"\\\n]|\\[^])*"/y
/** No `>>`: it closes two lists of types as well. */
const sign =
  /=>|\.\.\.|\?\.|\?\?=?|&&=?|\|\|=?|===?|!==?|<=|>=|[-+*/%]=|\+\+|--|\*\*|[{}()[\];,<>+\-*/%&|^!~?:=.@#]/y

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  '0': '\0',
}

function unescaped(raw: string): string {
  return raw.replace(/\\(u\{[\da-fA-F]+\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|\r\n|[^])/g, (_all, code: string) => {
    if (/^[ux]./.test(code)) return String.fromCodePoint(parseInt(code.slice(1).replace(/[{}]/g, ''), 16))
    return code.startsWith('\r') || code === '\n' ? '' : (escapes[code] ?? code)
  })
}

interface Found<T> {
  readonly value: T
  readonly end: number
}

function matchAt(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? null
}

function templateAt(text: string, start: number): Found<Token> {
  const [texts, holes]: [string[], (readonly Token[])[]] = [[], []]
  let from = start + 1
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === '`') {
      texts.push(unescaped(text.slice(from, at)))
      return { value: { kind: 'template', texts, holes }, end: at + 1 }
    } else if (text.startsWith('${', at)) {
      texts.push(unescaped(text.slice(from, at)))
      const hole = readTokens(text, at + 2, true)
      holes.push(hole.value)
      from = hole.end
      at = from - 1
    }
  }
  throw new UnreadableText('a template has no end')
}

function tokenAt(text: string, at: number): Found<Token> {
  if (text[at] === '`') return templateAt(text, at)
  const name = matchAt(word, text, at)
  if (name !== null) return { value: { kind: 'name', text: name }, end: at + name.length }
  const digits = matchAt(number, text, at)
  if (digits !== null)
    return { value: { kind: 'number', value: Number(digits.replaceAll('_', '')) }, end: at + digits.length }
  const literal = matchAt(quoted, text, at)
  if (literal !== null)
    return { value: { kind: 'text', value: unescaped(literal.slice(1, -1)) }, end: at + literal.length }
  const found = matchAt(sign, text, at)
  if (found === null) throw new UnreadableText('an unknown sign')
  return { value: { kind: 'sign', text: found }, end: at + found.length }
}

const isSign = (token: Token | undefined, text: string): boolean =>
  token?.kind === 'sign' && token.text === text

const endsValue = (token: Token | undefined): boolean =>
  token !== undefined &&
  (token.kind !== 'sign' || [')', ']', '}'].includes(token.text)) &&
  !isWord(token, 'return')

const isWord = (token: Token, text: string): boolean => token.kind === 'name' && token.text === text

/** A slash where no value has ended begins a regular expression, which nothing here needs and no token is. */
function refuseExpression(token: Token, before: Token | undefined): void {
  const isSlash = isSign(token, '/') || isSign(token, '/=')
  if (isSlash && !endsValue(before)) throw new UnreadableText('a regular expression')
}

/** `inHole`: up to the brace that closes the hole of a template. */
function readTokens(text: string, start: number, inHole: boolean): Found<readonly Token[]> {
  const tokens: Token[] = []
  let depth = 0
  let at = start
  for (;;) {
    at += matchAt(blank, text, at)?.length ?? 0
    if (at >= text.length) break
    const { value, end } = tokenAt(text, at)
    if (inHole && depth === 0 && isSign(value, '}')) return { value: tokens, end }
    if (isSign(value, '{')) depth += 1
    if (isSign(value, '}')) depth -= 1
    refuseExpression(value, tokens.at(-1))
    tokens.push(value)
    at = end
  }
  if (inHole) throw new UnreadableText('a template has no end')
  return { value: tokens, end: at }
}

/** The pieces of a JavaScript or TypeScript text. */
export const tokensOf = (text: string): readonly Token[] =>
  readTokens(text.replace(/^\uFEFF?(?:#![^\n]*)?/, ''), 0, false).value
