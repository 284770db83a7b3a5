import {
  type Block,
  type Expression,
  type Member,
  type SpreadPart,
  type Pattern,
  unknownExpression,
} from './expression'
import { parsePattern } from './parse-pattern'
import { skipType } from './skip-type'
import { type TokenReader, tokenReader } from './token-reader'
import { type Token, UnreadableText } from './tokens'

const strengths: Readonly<Record<string, number>> = {
  '??': 1,
  '||': 1,
  '&&': 2,
  '===': 3,
  '!==': 3,
  '==': 3,
  '!=': 3,
  '+': 4,
  '-': 4,
  '*': 5,
  '/': 5,
}

const words: Readonly<Record<string, string | boolean | null | undefined>> = {
  true: true,
  false: false,
  null: null,
  undefined,
}

/** What changes what is around it, or cannot be told without running it. */
const refusedWords = [
  'await',
  'async',
  'new',
  'class',
  'yield',
  'delete',
  'void',
  'typeof',
  'function',
  'super',
]

function parseParts(reader: TokenReader, end: string): readonly SpreadPart[] {
  const parts: SpreadPart[] = []
  while (!reader.take(end)) {
    const spread = reader.take('...')
    parts.push({ spread, value: parseExpression(reader) })
    if (!reader.isSign(end)) reader.expect(',')
  }
  return parts
}

function parseKey(reader: TokenReader): Expression {
  const token = reader.next()
  if (token.kind === 'name') return { kind: 'value', value: token.text }
  if (token.kind === 'text' || token.kind === 'number') return { kind: 'value', value: String(token.value) }
  if (token.kind !== 'sign' || token.text !== '[') throw new UnreadableText('an unknown key')
  const key = parseExpression(reader)
  reader.expect(']')
  return key
}

/** Where a value is not understood, what stands beside it may be. */
function parseValue(reader: TokenReader): Expression {
  const place = reader.place()
  try {
    const value = parseExpression(reader)
    if (reader.isSign(',') || reader.isSign('}')) return value
  } catch (error) {
    if (!(error instanceof UnreadableText)) throw error
  }
  reader.goTo(place)
  while (!reader.isSign(',') && !reader.isSign('}')) {
    if (['(', '[', '{'].some((open) => reader.isSign(open))) reader.slice(reader.lengthOfBrackets())
    else reader.next()
  }
  return unknownExpression
}

/** A method, getter or setter is known to be there, and no more. */
function parseMember(reader: TokenReader): Member {
  if (reader.take('...')) return { key: null, value: parseExpression(reader) }
  const hasPrefix =
    ['async', 'get', 'set'].some((word) => reader.isWord(word)) && reader.ahead(1)?.kind === 'name'
  if (hasPrefix) reader.next()
  reader.take('*')
  const isShort = reader.ahead()?.kind === 'name'
  const key = parseKey(reader)
  if (reader.isSign('(')) {
    reader.slice(reader.lengthOfBrackets())
    if (reader.take(':')) skipType(reader)
    reader.slice(reader.lengthOfBrackets())
    return { key, value: unknownExpression }
  }
  if (reader.take(':')) return { key, value: parseValue(reader) }
  if (!isShort || key.kind !== 'value') throw new UnreadableText('a value is missing')
  return { key, value: { kind: 'name', name: String(key.value) } }
}

function parseRecord(reader: TokenReader): Expression {
  const members: Member[] = []
  while (!reader.take('}')) {
    members.push(parseMember(reader))
    if (!reader.isSign('}')) reader.expect(',')
  }
  return { kind: 'record', members }
}

function parseFunction(reader: TokenReader): Expression {
  const patterns: Pattern[] = []
  if (reader.take('(')) {
    while (!reader.take(')')) {
      patterns.push(parsePattern(reader))
      if (!reader.isSign(')')) reader.expect(',')
    }
    if (reader.take(':')) skipType(reader)
  } else patterns.push({ kind: 'name', name: reader.name() })
  reader.expect('=>')
  return { kind: 'function', patterns, body: parseFunctionBody(reader) }
}

function parseFunctionBody(reader: TokenReader): Expression | Block {
  if (!reader.isSign('{')) return parseExpression(reader)
  const tokens = reader.slice(reader.lengthOfBrackets()).slice(1, -1)
  return { kind: 'block', tokens }
}

function isFunction(reader: TokenReader): boolean {
  if (reader.ahead()?.kind === 'name') return reader.isSign('=>', 1)
  if (!reader.isSign('(')) return false
  const behind = reader.lengthOfBrackets()
  if (reader.isSign('=>', behind)) return true
  if (!reader.isSign(':', behind)) return false
  const place = reader.place()
  try {
    reader.slice(behind + 1)
    skipType(reader)
    return reader.isSign('=>')
  } catch {
    return false
  } finally {
    reader.goTo(place)
  }
}

function parseTemplate(texts: readonly string[], holes: readonly (readonly Token[])[]): Expression {
  return { kind: 'template', texts, holes: holes.map((tokens) => parseWhole(tokens)) }
}

function parseWhole(tokens: readonly Token[]): Expression {
  const reader = tokenReader(tokens)
  const parsed = parseExpression(reader)
  if (!reader.isAtEnd()) throw new UnreadableText('more than a value')
  return parsed
}

function parseBracketed(reader: TokenReader, sign: string): Expression {
  switch (sign) {
    case '(': {
      const inner = parseExpression(reader)
      reader.expect(')')
      return inner
    }
    case '[':
      return { kind: 'list', parts: parseParts(reader, ']') }
    case '{':
      return parseRecord(reader)
    case '!':
      return { kind: 'not', of: parseUnary(reader) }
    case '-':
      return { kind: 'both', sign: '-', left: { kind: 'value', value: 0 }, right: parseUnary(reader) }
    default:
      throw new UnreadableText(`${sign} where a value should be`)
  }
}

function parsePrimary(reader: TokenReader): Expression {
  if (isFunction(reader)) return parseFunction(reader)
  const token = reader.next()
  switch (token.kind) {
    case 'text':
    case 'number':
      return { kind: 'value', value: token.value }
    case 'template':
      return parseTemplate(token.texts, token.holes)
    case 'name':
      if (refusedWords.includes(token.text)) throw new UnreadableText(token.text)
      return Object.hasOwn(words, token.text)
        ? { kind: 'value', value: words[token.text] }
        : { kind: 'name', name: token.text }
    case 'sign':
      return parseBracketed(reader, token.text)
  }
}

/** `find<Type>(…)` */
function skipTypeArguments(reader: TokenReader): void {
  if (!reader.isSign('<')) return
  const behind = reader.lengthOfBrackets()
  if (reader.isSign('(', behind)) reader.slice(behind)
}

function parseUnary(reader: TokenReader): Expression {
  let parsed = parsePrimary(reader)
  for (;;) {
    skipTypeArguments(reader)
    if (reader.take('(')) parsed = { kind: 'call', callee: parsed, given: parseParts(reader, ')') }
    else if (reader.take('[')) {
      parsed = { kind: 'member', of: parsed, key: parseExpression(reader) }
      reader.expect(']')
    } else if (reader.take('.') || reader.take('?.')) {
      parsed = { kind: 'member', of: parsed, key: { kind: 'value', value: reader.name() } }
    } else if (reader.takeWord('as') || reader.takeWord('satisfies')) skipType(reader)
    else if (!reader.take('!')) return parsed
  }
}

function parseBoth(reader: TokenReader, least: number): Expression {
  let left = parseUnary(reader)
  for (;;) {
    const token = reader.ahead()
    const sign = token?.kind === 'sign' ? token.text : ''
    const strength = strengths[sign] ?? 0
    if (strength < least || strength === 0) return left
    reader.next()
    left = { kind: 'both', sign, left, right: parseBoth(reader, strength + 1) }
  }
}

export function parseExpression(reader: TokenReader): Expression {
  const test = parseBoth(reader, 1)
  if (!reader.take('?')) return test
  const then = parseExpression(reader)
  reader.expect(':')
  return { kind: 'choice', test, then, otherwise: parseExpression(reader) }
}
