import type { Expression, Pattern } from './expression'
import { parseExpression } from './parse-expression'
import { parsePattern } from './parse-pattern'
import { skipType } from './skip-type'
import { type TokenReader, tokenReader } from './token-reader'
import { type Token, UnreadableText } from './tokens'

export type ModuleStatement =
  | { readonly kind: 'import'; readonly from: string; readonly names: readonly (readonly [string, string])[] }
  | { readonly kind: 'constant'; readonly pattern: Pattern; readonly value: Expression }
  /** A function or a class. */
  | { readonly kind: 'unknown'; readonly name: string }
  /** What the text comes to: what a function returns or a module exports. */
  | { readonly kind: 'result'; readonly value: Expression }

function parseImportNames(reader: TokenReader): [string, string][] {
  if (reader.take('*')) {
    if (!reader.takeWord('as')) throw new UnreadableText('as is missing')
    return [['*', reader.name()]]
  }
  if (!reader.take('{')) return [['default', reader.name()]]
  const names: [string, string][] = []
  while (!reader.take('}')) {
    if (reader.isWord('type') && reader.ahead(1)?.kind === 'name') reader.next()
    const name = reader.name()
    names.push([name, reader.takeWord('as') ? reader.name() : name])
    if (!reader.isSign('}')) reader.expect(',')
  }
  return names
}

function parseImport(reader: TokenReader): ModuleStatement[] {
  const isType = reader.isWord('type') && !reader.isWord('from', 1) && !reader.isSign(',', 1)
  if (isType) reader.next()
  const names: [string, string][] = []
  do names.push(...parseImportNames(reader))
  while (reader.take(','))
  if (!reader.takeWord('from')) throw new UnreadableText('from is missing')
  const from = reader.next()
  if (from.kind !== 'text') throw new UnreadableText('a module is missing')
  return isType ? [] : [{ kind: 'import', from: from.value, names }]
}

function parseConstant(reader: TokenReader): ModuleStatement[] {
  const made: ModuleStatement[] = []
  do {
    const pattern = parsePattern(reader)
    reader.expect('=')
    made.push({ kind: 'constant', pattern, value: parseExpression(reader) })
  } while (reader.take(','))
  return made
}

function parseFunction(reader: TokenReader): ModuleStatement[] {
  const name = reader.name()
  reader.slice(reader.lengthOfBrackets())
  if (reader.take(':')) skipType(reader)
  reader.slice(reader.lengthOfBrackets())
  return [{ kind: 'unknown', name }]
}

function parseType(reader: TokenReader): ModuleStatement[] {
  reader.name()
  if (reader.isSign('<')) reader.slice(reader.lengthOfBrackets())
  if (reader.take('=')) skipType(reader)
  else reader.slice(reader.lengthOfBrackets())
  return []
}

const resultOf = (reader: TokenReader): ModuleStatement[] => [
  { kind: 'result', value: parseExpression(reader) },
]

function parseExport(reader: TokenReader): ModuleStatement[] {
  if (reader.takeWord('default') || reader.take('=')) return resultOf(reader)
  if (reader.takeWord('type') || reader.takeWord('interface')) return parseType(reader)
  throw new UnreadableText('exports more than one thing')
}

/** `module.exports = …` */
function takeModuleExports(reader: TokenReader): boolean {
  const place = reader.place()
  const isIt = reader.takeWord('module') && reader.take('.') && reader.takeWord('exports') && reader.take('=')
  if (!isIt) reader.goTo(place)
  return isIt
}

function parseStatement(reader: TokenReader): ModuleStatement[] {
  if (reader.take(';')) return []
  if (reader.ahead()?.kind === 'text') {
    // 'use strict'
    reader.next()
    return []
  }
  if (reader.takeWord('import')) return parseImport(reader)
  if (reader.takeWord('const')) return parseConstant(reader)
  if (reader.takeWord('export')) return parseExport(reader)
  if (reader.takeWord('return')) return resultOf(reader)
  if (reader.takeWord('function')) return parseFunction(reader)
  if (reader.takeWord('type') || reader.takeWord('interface')) return parseType(reader)
  if (takeModuleExports(reader)) return resultOf(reader)
  // Whatever else stands there may change what stands beside it.
  throw new UnreadableText('an unknown statement')
}

/** A text that holds nothing but names for values and what it comes to. */
export function moduleStatements(tokens: readonly Token[]): readonly ModuleStatement[] {
  const reader = tokenReader(tokens)
  const statements: ModuleStatement[] = []
  while (!reader.isAtEnd()) statements.push(...parseStatement(reader))
  return statements
}
