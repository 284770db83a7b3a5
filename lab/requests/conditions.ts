import { happens, pick, times } from './chance'
import { ofAll } from './of-all'
import { kindOfValue, comparison, isKnownOperator as isKnown } from './operators'
import type { Filter } from './request'
import type { Speaker } from './speaker'
import { type KnownType, type Passable, passable, type Scalar } from './vocabulary'

function compare({ chance, words }: Speaker, type: KnownType, scalar: Scalar): Filter {
  const operator = pick(chance, words.operators(scalar.kind))
  const compares = isKnown(operator) ? kindOfValue(operator) : 'own'
  const one = (): string =>
    compares === 'truth' ? pick(chance, ['true', 'false']) : words.operand(type, scalar, compares)
  if (['$eq', '$ne'].includes(operator) && happens(chance, 10)) return { operator, value: null }
  return isKnown(operator) ? comparison(operator, times(chance, 1, 3, one)) : { operator, value: one() }
}

/** What a link leads to may be compared as its id is. */
const ofLinked = (speaker: Speaker, type: KnownType): Filter =>
  compare(speaker, type, { name: 'id', kind: 'id' })

/** As many side by side through one link as no database is to be given at once. */
function crowd(speaker: Speaker, { name, to }: Passable): Filter {
  const { chance, words } = speaker
  const depth = happens(chance, 20) ? 1 : 0
  const parts = times(chance, 8, words.crowd, () => ({ at: name, of: condition(speaker, to, depth) }))
  return happens(chance, 70) ? { all: parts } : { any: parts }
}

/** All that a link leads to, now and then beside one row of it, and turned round. */
function throughLink(speaker: Speaker, type: KnownType, depth: number): Filter {
  const { chance, words } = speaker
  const link = pick(chance, type.links)
  const whole = ofAll(speaker, link, depth, condition)
  const of = happens(chance, 10) ? { not: whole } : whole
  if (link.to === undefined || happens(chance, 85)) return { at: words.name(link.name), of }
  const parts = [condition(speaker, link.to, depth - 1), of]
  return { at: words.name(link.name), of: happens(chance, 50) ? { all: parts } : { any: parts } }
}

export function condition(speaker: Speaker, type: KnownType, depth: number): Filter {
  const { chance, words } = speaker
  const ways = passable(type)
  if (depth > 0 && ways.length > 0 && happens(chance, 5)) return crowd(speaker, pick(chance, ways))
  const reaches = words.beyondStrapi && depth > 0 && type.links.length > 0
  if (reaches && happens(chance, 20)) return throughLink(speaker, type, depth)
  const way = depth > 0 ? chance(10) : 9
  const parts = (): Filter[] => times(chance, 1, 2, () => condition(speaker, type, depth - 1))
  if (way === 0) return { all: parts() }
  if (way === 1) return { any: parts() }
  if (way === 2) return { not: condition(speaker, type, depth - 1) }
  if (way < 7 && ways.length > 0) {
    const { name, to } = pick(chance, ways)
    const of = happens(chance, 15) ? ofLinked(speaker, to) : condition(speaker, to, depth - 1)
    return { at: words.name(name), of }
  }
  const scalar = pick(chance, type.scalars)
  const of = compare(speaker, type, scalar)
  return { at: words.name(scalar.name), of: happens(chance, 10) ? { not: of } : of }
}
