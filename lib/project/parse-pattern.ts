import type { Pattern } from './expression'
import { skipType } from './skip-type'
import type { TokenReader } from './token-reader'

/** `{ env, name: other }` */
function parseMembers(reader: TokenReader): Pattern {
  reader.expect('{')
  const members: (readonly [string, Pattern])[] = []
  while (!reader.take('}')) {
    const place = reader.place()
    const name = reader.name()
    if (!reader.take(':')) reader.goTo(place)
    members.push([name, parsePattern(reader, false)])
    if (!reader.isSign('}')) reader.expect(',')
  }
  return { kind: 'members', members }
}

/** What a value is given to. `typed`: its type may follow. */
export function parsePattern(reader: TokenReader, typed = true): Pattern {
  const pattern: Pattern = reader.isSign('{') ? parseMembers(reader) : { kind: 'name', name: reader.name() }
  if (typed) reader.take('?')
  if (typed && reader.take(':')) skipType(reader)
  return pattern
}
