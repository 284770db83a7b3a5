import type { TokenReader } from './token-reader'
import { UnreadableText } from './tokens'

const prefixes = ['typeof', 'keyof', 'readonly', 'unique', 'infer']

function skipOne(reader: TokenReader): void {
  while (prefixes.some((word) => reader.takeWord(word)));
  const first = reader.ahead()
  if (first === undefined) throw new UnreadableText('a type is missing')
  if (first.kind !== 'sign') {
    reader.next()
    while (reader.take('.')) reader.name()
  } else if (['(', '{', '['].includes(first.text)) {
    reader.slice(reader.lengthOfBrackets())
    if (reader.take('=>')) skipType(reader)
  } else throw new UnreadableText('an unknown type')
  while (reader.isSign('<') || reader.isSign('[')) reader.slice(reader.lengthOfBrackets())
}

/** Types say nothing of values. */
export function skipType(reader: TokenReader): void {
  if (!reader.take('|')) reader.take('&')
  skipOne(reader)
  while (reader.take('|') || reader.take('&')) skipOne(reader)
}
